package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class HttpInterfaceCheckTests {

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            DataRedisAutoConfiguration.class,
            JacksonAutoConfiguration.class,
            PayloadConverterAutoConfiguration.class,
            DelayQueueAutoConfiguration.class,
            DelayQueueHttpAutoConfiguration.class);

    private final WebApplicationContextRunner servlets =
            new WebApplicationContextRunner().withConfiguration(CONFIGURATIONS);

    /** Binds the properties only. */
    private final ApplicationContextRunner properties =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);

    @EnableConfigurationProperties(DelayQueueProperties.class)
    static class Properties {}

    @Test
    void interfacesAreOffUnlessEnabled() {
        servlets.withConfiguration(AutoConfigurations.of(DelayQueueCompatAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(AccessGuard.class)
                        .doesNotHaveBean("delayQueueCompatServlet")
                        .doesNotHaveBean(LongPolls.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"compat", "api"})
    void enabledInterfaceNeedsAccessControl(String name) {
        servlets.withPropertyValues("delayqueue.http." + name + ".enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("delayqueue.http." + name + ".enabled is true")
                        .hasMessageContaining("no clients")
                        .isInstanceOfSatisfying(
                                StartFailedException.class,
                                failure -> assertThat(failure.action())
                                        .contains("delayqueue:produce, delayqueue:consume, delayqueue:admin")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"clients.shop.permissions=produce", "unsecured=true"})
    void clientsOrUnsecuredPermitTheStart(String property) {
        List<String> all =
                new ArrayList<>(List.of("delayqueue.http.compat.enabled=true", "delayqueue.http." + property));
        if (property.startsWith("clients")) {
            all.add("delayqueue.http.clients.shop.tokens[0]=0123456789abcdef");
        }
        servlets.withPropertyValues(all.toArray(String[]::new))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(AccessGuard.class)
                        .hasSingleBean(LongPolls.class));
    }

    /** Pages of any site can have a host name that resolves to this server. */
    @Test
    void unsecuredInterfaceAcceptsAllowedHosts() {
        servlets.withPropertyValues(
                        "delayqueue.http.compat.enabled=true",
                        "delayqueue.http.unsecured=true",
                        "delayqueue.allowed-hosts=queue.example")
                .run(context -> {
                    AccessGuard guard = context.getBean(AccessGuard.class);
                    MockHttpServletRequest request = new MockHttpServletRequest();
                    for (String host : List.of("localhost", "queue.example")) {
                        request.setServerName(host);
                        assertThatCode(() -> guard.authorize(request, new MockHttpServletResponse(), "push"))
                                .doesNotThrowAnyException();
                    }
                    request.setServerName("evil.example");
                    assertThatThrownBy(() -> guard.authorize(request, new MockHttpServletResponse(), "push"))
                            .isInstanceOf(AccessDeniedException.class)
                            .hasMessageContaining("delayqueue.allowed-hosts");
                    request.setServerName("localhost"); // forwarded
                    request.addHeader("Host", "evil.example");
                    assertThatThrownBy(() -> guard.authorize(request, new MockHttpServletResponse(), "push"))
                            .isInstanceOf(AccessDeniedException.class);
                    request.setAttribute("jakarta.servlet.request.cipher_suite", "TLS_AES_256_GCM_SHA384");
                    assertThatCode(() -> guard.authorize(request, new MockHttpServletResponse(), "push"))
                            .doesNotThrowAnyException();
                });
    }

    @Test
    void metersNeedARegistry() {
        WebApplicationContextRunner enabled = servlets.withPropertyValues(
                "delayqueue.http.api.enabled=true",
                "delayqueue.http.compat.enabled=true",
                "delayqueue.http.compat.base-path=/jobs",
                "delayqueue.http.unsecured=true");
        enabled = enabled.withConfiguration(AutoConfigurations.of(
                DispatcherServletAutoConfiguration.class,
                WebMvcAutoConfiguration.class,
                DelayQueueApiAutoConfiguration.class));

        enabled.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestMeters.class));
        enabled.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestMeters.class));
        enabled.withBean(SimpleMeterRegistry.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("delayQueueApiRequestMeters")
                        .hasBean("delayQueueCompatRequestMeters"));
    }

    @Test
    void springSecurityPermitsTheStart() {
        servlets.withPropertyValues("delayqueue.http.compat.enabled=true")
                .withBean("springSecurityFilterChain", Object.class, Object::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void checkRunsWithLazyInitialization() {
        servlets.withPropertyValues("delayqueue.http.api.enabled=true")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void reactiveApplicationsHaveNoHttpInterface() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues("delayqueue.http.api.enabled=true", "delayqueue.http.unsecured=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("delayqueue.http.api.enabled is true")
                        .hasMessageContaining("servlets"));
    }

    @Test
    void applicationsWithoutWebHaveNoHttpInterface() {
        new ApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues(
                        "delayqueue.http.api.enabled=true",
                        "delayqueue.http.compat.enabled=true",
                        "delayqueue.http.unsecured=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(
                                "delayqueue.http.compat.enabled and delayqueue.http.api.enabled are true"));
    }

    @Test
    void disabledQueueHasNoHttpInterface() {
        servlets.withPropertyValues("delayqueue.enabled=false", "delayqueue.http.api.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpInterfaceCheck.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    compat.base-path=dq | delayqueue.http.compat.base-path must begin with a slash
                    compat.base-path=/dq/ | delayqueue.http.compat.base-path must begin with a slash
                    compat.base-path=/* | delayqueue.http.compat.base-path must begin with a slash
                    api.base-path= | delayqueue.http.api.base-path must not be empty
                    compat.max-wait=-1s | delayqueue.http.compat.max-wait must be from 0 to 1 d
                    api.max-wait=25h | delayqueue.http.api.max-wait must be from 0 to 1 d, but was 1 day 1 h
                    compat.max-attempts=-1 | delayqueue.http.compat.max-attempts must be 0 or more
                    api.max-count=501 | delayqueue.http.api.max-count must be from 1 to 500
                    max-waiting=0 | delayqueue.http.max-waiting must be from 1 to 1,000,000
                    body-timeout=999ms | delayqueue.http.body-timeout must be from 1 s to 10 min
                    max-slow-bodies=0 | delayqueue.http.max-slow-bodies must be from 1 to 1,000,000
                    max-body-size=1B | delayqueue.http.max-body-size must be from 1 KB to 1 GB
                    """)
    void valuesAreChecked(String property, String sentence) {
        properties
                .withPropertyValues("delayqueue.http." + property)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tokens[0]=short | delayqueue.http.clients.shop.tokens[0] must have at least 16 visible ASCII characters
                    tokens[0]=one that has a space | delayqueue.http.clients.shop.tokens[0] must have at least 16 visible ASCII characters and no others, but has characters that are not visible ASCII
                    tokens[0]=${NO_SUCH_VARIABLE} | delayqueue.http.clients.shop.tokens[0] is a placeholder for a property
                    permissions= | delayqueue.http.clients.shop.permissions must have at least one of produce, consume
                    permissions=read | No enum constant
                    topics= | delayqueue.http.clients.shop.topics must have at least one topic or pattern
                    topics[0]=   | delayqueue.http.clients.shop.topics
                    topics=a,%s | delayqueue.http.clients.shop.topics[1] must be a topic, or a pattern with asterisks, but is invalid: A topic must have at most 128 bytes
                    topics=${NO_SUCH_VARIABLE} | delayqueue.http.clients.shop.topics[0] is a placeholder for a property
                    requests-per-second=0 | delayqueue.http.clients.shop.requests-per-second must be from 1 to 100,000, but was 0
                    max-waiting=0 | delayqueue.http.clients.shop.max-waiting must be from 1 to 1,000,000, but was 0
                    """)
    void clientsAreChecked(String property, String sentence) {
        properties
                .withPropertyValues(
                        "delayqueue.http.clients.shop.tokens[0]=0123456789abcdef",
                        "delayqueue.http.clients.shop.permissions=produce,consume",
                        "delayqueue.http.clients.shop." + property.replace("%s", "x".repeat(129)))
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
    }

    @ParameterizedTest
    @CsvSource({
        "shop.tokens=0123456789abcdef, delayqueue.http.clients.shop.permissions must have at least one of produce",
        "shop.permissions=produce, delayqueue.http.clients.shop.tokens must have at least one token",
        "[a b].permissions=produce, delayqueue.http.clients[a b] must have a name of 1 to 64 letters"
    })
    void clientsNeedANameTokensAndPermissions(String property, String sentence) {
        String key = property.startsWith("[") ? "clients" : "clients.";
        properties
                .withPropertyValues("delayqueue.http." + key + property)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
    }

    @Test
    void clientsExcludeUnsecured() {
        properties
                .withPropertyValues(
                        "delayqueue.http.unsecured=true",
                        "delayqueue.http.clients.shop.tokens=0123456789abcdef",
                        "delayqueue.http.clients.shop.permissions=admin")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "delayqueue.http.unsecured must not be true if delayqueue.http.clients are set"));
    }

    @Test
    void tokenBelongsToOneClient() {
        properties
                .withPropertyValues(
                        "delayqueue.http.clients.a.tokens=another-0123456789,fedcba9876543210",
                        "delayqueue.http.clients.a.permissions=produce",
                        "delayqueue.http.clients.b.tokens=fedcba9876543210",
                        "delayqueue.http.clients.b.permissions=produce")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("delayqueue.http.clients.b.tokens[0] is also a token of"
                                + " delayqueue.http.clients.a: use different tokens for each client")
                        .rootCause()
                        .message()
                        .doesNotContain("fedcba9876543210"));
    }

    @Test
    void messagesDoNotContainTokens() {
        properties
                .withPropertyValues(
                        "delayqueue.http.clients.shop.tokens=hunter2", "delayqueue.http.clients.shop.permissions=admin")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .message()
                        .doesNotContain("hunter2"));
    }

    @Test
    void textOfPropertiesDoesNotContainTokens() {
        properties
                .withPropertyValues(
                        "delayqueue.http.clients.shop.tokens=0123456789abcdef",
                        "delayqueue.http.clients.shop.permissions=admin")
                .run(context -> assertThat(
                                context.getBean(DelayQueueProperties.class).toString())
                        .contains("shop=Client[1 tokens")
                        .doesNotContain("0123456789abcdef"));
    }

    @Test
    void interfacesNeedDifferentPaths() {
        servlets.withPropertyValues(
                        "delayqueue.http.compat.enabled=true",
                        "delayqueue.http.api.enabled=true",
                        "delayqueue.http.compat.base-path=/dq",
                        "delayqueue.http.api.base-path=/dq")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("must differ"));
        servlets.withPropertyValues(
                        "delayqueue.http.compat.enabled=true",
                        "delayqueue.http.api.enabled=true",
                        "delayqueue.http.compat.base-path=/delayqueue")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("must not be below"));
    }
}
