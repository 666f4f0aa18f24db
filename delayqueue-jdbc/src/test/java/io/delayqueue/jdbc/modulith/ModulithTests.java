package io.delayqueue.jdbc.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The externalization of Spring Modulith's events in docs/transactions.md. */
@EmbeddedRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ModulithTests {

    private static final String TOPIC = "order-cancel";
    private static final Instant DUE =
            SystemClock.now().plus(30, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.MILLIS);

    private RedisServerProcess redis;
    private FaultProxy proxy;
    private ConfigurableApplicationContext application;
    private String order;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(DelayQueueExternalization.class)
    static class Application {}

    @Externalized(TOPIC)
    record WithoutKey(String id) {}

    @BeforeAll
    void start(RedisServerProcess server) {
        redis = server;
        proxy = FaultProxy.inFrontOf(server);
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url="
                                + new H2Database(UUID.randomUUID().toString()).url(),
                        "spring.data.redis.port=" + proxy.port(),
                        "delayqueue.namespace=" + UUID.randomUUID(),
                        "spring.modulith.events.jdbc.schema-initialization.enabled=true")
                .run();
    }

    @AfterAll
    void stop() {
        application.close();
        proxy.close();
    }

    @BeforeEach
    void empty() {
        order = UUID.randomUUID().toString();
        bean(JdbcTemplate.class).update("delete from event_publication");
        redis.flush();
    }

    private <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    private void place(String id, Runnable last) {
        new TransactionTemplate(bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            application.publishEvent(new OrderPlaced(id, DUE));
            last.run();
        });
    }

    private void resubmit() {
        bean(IncompleteEventPublications.class).resubmitIncompletePublications(publication -> true);
    }

    private Optional<MessageSnapshot> message(String id) {
        return bean(DelayQueueTemplate.class).find(TOPIC, id);
    }

    private long publications(String condition) {
        return bean(JdbcTemplate.class)
                .queryForObject("select count(*) from event_publication where " + condition, Long.class);
    }

    private void awaitOneMessage(String id) {
        await().until(() -> publications("completion_date is null") == 0);
        assertThat(message(id))
                .hasValueSatisfying(sent -> assertThat(sent.dueAt()).isEqualTo(DUE));
        assertThat(bean(DelayQueueAdmin.class).counts(TOPIC).scheduled()).isEqualTo(1);
    }

    @Test
    void eventOfACommittedTransactionIsSent() {
        place(order, () -> assertThat(message(order)).isEmpty());

        awaitOneMessage(order);
    }

    @Test
    void eventOfARolledBackTransactionIsNotSent() {
        assertThatIllegalStateException()
                .isThrownBy(() -> place(order, () -> {
                    throw new IllegalStateException("on purpose");
                }));

        place("another", () -> {});
        awaitOneMessage("another");
    }

    @Tag("long")
    @Tag("jdbc")
    @Test
    void eventIsSentLaterIfRedisIsUnavailableAtTheCommit() {
        proxy.refuse();
        place(order, () -> {});
        await().until(() -> publications("status = 'FAILED'") == 1);

        proxy.pass();
        await().ignoreExceptions().until(() -> message(order).isEmpty());
        resubmit();

        awaitOneMessage(order);
    }

    @Test
    void eventThatIsSentAgainHasOneMessage() {
        place(order, () -> {});
        awaitOneMessage(order);
        // as if the process had ended before it was recorded as sent
        bean(JdbcTemplate.class).update("update event_publication set completion_date = null, status = 'FAILED'");

        resubmit();

        awaitOneMessage(order);
    }

    @Test
    void eventWithoutAKeyIsNotSent() {
        new TransactionTemplate(bean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> application.publishEvent(new WithoutKey(order)));

        await().until(() -> publications("status = 'FAILED'") == 1);
        assertThat(bean(DelayQueueAdmin.class).counts(TOPIC).ready()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DelayQueueExternalization", "OrderPlaced"})
    void documentationShowsTheTestedSource(String type) throws IOException {
        String source = Files.readString(
                Path.of("src/test/java/io/delayqueue/jdbc/modulith").resolve(type + ".java"));
        String body = source.substring(source.indexOf("import "));

        assertThat(Files.readString(Path.of("../docs/transactions.md"))).contains(body);
    }
}
