package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.annotation.proxied.HiddenListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Listeners of beans behind proxies: they are found and called on the target, or the start fails. */
class ProxiedListenerTests {

    private static Object proxy(Object target, boolean byClass) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(byClass);
        return factory.getProxy();
    }

    interface Handler {
        void handle(String payload);
    }

    static class Target implements Handler {

        final List<String> handled = new ArrayList<>();

        @DelayListener(topic = "orders", id = "orders")
        @Override
        public void handle(String payload) {
            handled.add(payload);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxyOfProxy {

        final Target target = new Target();

        @Bean
        Handler handler() {
            return (Handler) proxy(proxy(target, false), false);
        }
    }

    @Test
    void proxyOfAProxyIsCalledThroughItsInterface() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(ProxyOfProxy.class)) {
            application.onlyContainer().deliverPayload("p");

            assertThat(application.bean(ProxyOfProxy.class).target.handled).containsExactly("p");
        }
    }

    static class FinalMethod {

        @DelayListener("orders")
        public final void handle(String payload) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxyOfFinalMethod {

        @Bean
        FinalMethod handler() {
            return (FinalMethod) proxy(new FinalMethod(), true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxyOfHiddenMethod {

        @Bean
        HiddenListener handler() {
            return (HiddenListener) proxy(new HiddenListener() {}, true);
        }
    }

    @Test
    void methodThatTheProxyCannotOverrideIsRejected() {
        for (Class<?> application : List.of(ProxyOfFinalMethod.class, ProxyOfHiddenMethod.class)) {
            assertThatThrownBy(() -> ListenerApplication.start(application))
                    .isInstanceOfSatisfying(InvalidListenerException.class, failure -> {
                        assertThat(failure.beanName()).isEqualTo("handler");
                        assertThat(failure.problem()).startsWith("The bean is a proxy that can't override the method");
                        assertThat(failure.fix()).isEqualTo("Make the method public and not final.");
                    });
        }
    }
}
