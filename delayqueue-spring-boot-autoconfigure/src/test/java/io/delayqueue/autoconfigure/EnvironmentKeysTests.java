package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Environment variables and system properties configure the queue as files do. */
class EnvironmentKeysTests {

    private static final String SOURCE = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

    private static ApplicationContextRunner environment(Map<String, String> variables) {
        return QueueContexts.withoutRedis()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(SOURCE, new SystemEnvironmentPropertySource(SOURCE, new HashMap<>(variables))));
    }

    @Test
    void nameOfAnEntryReplacesItsKey() {
        environment(Map.of(
                        "DELAYQUEUE_TOPICS_CANCEL_NAME", "order-cancel",
                        "DELAYQUEUE_TOPICS_CANCEL_MAXATTEMPTS", "3",
                        "DELAYQUEUE_HTTP_CLIENTS_BILLING_NAME", "Billing-1",
                        "DELAYQUEUE_HTTP_CLIENTS_BILLING_TOKENS", "0123456789abcdef",
                        "DELAYQUEUE_HTTP_CLIENTS_BILLING_PERMISSIONS", "produce"))
                .run(context -> {
                    DelayQueueProperties properties = context.getBean(DelayQueueProperties.class);
                    assertThat(properties.topics()).containsOnlyKeys("order-cancel");
                    assertThat(properties.topics().get("order-cancel").maxAttempts())
                            .isEqualTo(3);
                    assertThat(properties.http().clients()).containsOnlyKeys("Billing-1");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-cancel", "other"})
    void twoEntriesWithOneNameFailTheStart(String name) {
        environment(Map.of("DELAYQUEUE_TOPICS_CANCEL_NAME", name))
                .withPropertyValues("delayqueue.topics[order-cancel].max-attempts=2", "delayqueue.topics[o].name=other")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("both entries for the name '" + name + "'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELAYQUEUE_LISTENER_CONCURENCY", "DELAYQUEUE_TOPICS_CANCEL_LEASES", "DELAYQUEUE_NAMESPAC"})
    void unknownVariableFailsTheStart(String variable) {
        environment(Map.of(variable, "1"))
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("were left unbound"));
    }

    @Test
    void unknownSystemPropertyFailsTheStart() {
        QueueContexts.withoutRedis()
                .withSystemProperties("delayqueue.listener.concurency=3")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("were left unbound"));
    }

    @ParameterizedTest
    @CsvSource({
        "DELAYQUEUE",
        "DELAYQUEUE_TOPICS",
        "DELAYQUEUE_TOPICS_REDIS",
        "DELAYQUEUE_LISTENER",
        "DELAYQUEUE_FORWARD",
        "DELAYQUEUE_HTTP",
        "DELAYQUEUE_HTTP_CLIENTS",
        "DELAYQUEUE_HTTP_CLIENTS_API",
        "DELAYQUEUE_HEALTH_MAXLAG"
    })
    void variablesOfAServiceAreIgnored(String service) {
        environment(Map.of(
                        service + "_SERVICE_HOST", "10.0.0.1",
                        service + "_SERVICE_PORT", "6379",
                        service + "_SERVICE_PORT_HTTP", "6379",
                        service + "_PORT", "tcp://10.0.0.1:6379",
                        service + "_PORT_6379_TCP", "tcp://10.0.0.1:6379",
                        service + "_PORT_6379_TCP_PROTO", "tcp",
                        service + "_PORT_6379_TCP_PORT", "6379",
                        service + "_PORT_6379_TCP_ADDR", "10.0.0.1"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DelayQueueProperties properties = context.getBean(DelayQueueProperties.class);
                    assertThat(properties.topics()).isEmpty();
                    assertThat(properties.http().clients()).isEmpty();
                    assertThat(properties.health().maxLag()).isEmpty();
                });
    }

    @Test
    void labelOfATopicNamesItsMaximumLag() {
        environment(Map.of("DELAYQUEUE_TOPICS_CANCEL_NAME", "order-cancel", "DELAYQUEUE_HEALTH_MAXLAG_CANCEL", "1m"))
                .withPropertyValues("delayqueue.health.max-lag[other]=2m")
                .run(context -> assertThat(context.getBean(DelayQueueProperties.class)
                                .health()
                                .maxLag())
                        .isEqualTo(Map.of("order-cancel", Duration.ofMinutes(1), "other", Duration.ofMinutes(2))));
    }

    @Test
    void twoMaximumLagsOfOneTopicFailTheStart() {
        environment(Map.of("DELAYQUEUE_TOPICS_CANCEL_NAME", "order-cancel", "DELAYQUEUE_HEALTH_MAXLAG_CANCEL", "1m"))
                .withPropertyValues("delayqueue.health.max-lag[order-cancel]=2m")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("both entries for the name 'order-cancel'"));
    }

    @Test
    void knownVariablesAreBound() {
        environment(Map.of("DELAYQUEUE_LISTENER_MAXATTEMPTS", "3", "DELAYQUEUE_DEADLETTERS_MAXAGE", "2d"))
                .run(context -> assertThat(context.getBean(DelayQueueProperties.class)
                                .listener()
                                .maxAttempts())
                        .isEqualTo(3));
    }
}
