package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.QueueKind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;

class ListenerDiscoveryTests {

    @Test
    void aRepeatedAnnotationMakesSeveralListeners() {
        try (ListenerApplication application = ListenerApplication.start(Repeated.class)) {
            assertThat(application.registry().getListenerIds())
                    .containsExactly(
                            "listenerDiscoveryTests.Repeated.handle", "listenerDiscoveryTests.Repeated.handle#2", "c");
            assertThat(application.registry().getContainers())
                    .extracting(container -> container.topic())
                    .containsExactly("a", "b", "c");
        }
    }

    static class Repeated {
        @DelayListener("a")
        @DelayListener(topic = "b")
        @DelayListener(topic = "c", id = "c")
        void handle(String payload) {}
    }

    @Test
    void eachOfSeveralTopicsHasAListener() {
        try (ListenerApplication application =
                ListenerApplication.start(prepared -> prepared.property("test.topic", "b"), SeveralTopics.class)) {
            String handle = "listenerDiscoveryTests.SeveralTopics.handle";
            assertThat(application.registry().getListenerIds())
                    .containsExactlyInAnyOrder(
                            handle + "-a", handle + "-b", "dead-a", "dead-b", "listed-x", "listed-y", "listed-z");
            assertThat(application.container(handle + "-b").topic()).isEqualTo("b");
            assertThat(application.container("listed-z").topic()).isEqualTo("z");
            assertThat(application.container("dead-a").kind()).isEqualTo(QueueKind.NOTIFICATIONS);
            assertThat(List.of("-a", "-b"))
                    .extracting(suffix ->
                            application.container(handle + suffix).options().concurrency())
                    .containsExactly(3, 3);
        }
    }

    static class SeveralTopics {

        @DelayListener(
                topic = {"a", "${test.topic}"},
                concurrency = "3")
        void handle(String payload) {}

        @DelayListener(
                value = {"x", "#{{'y', 'z'}}"},
                id = "listed")
        void listed(String payload) {}

        @DeadLetterListener(
                topic = {"a", "b"},
                id = "dead")
        void deadLetters(DeadLetter deadLetter) {}
    }

    @Test
    void metaAnnotationDeclaresListeners() {
        try (ListenerApplication application = ListenerApplication.start(Composed.class)) {
            assertThat(application.registry().getContainers())
                    .extracting(container -> container.topic())
                    .containsExactlyInAnyOrder("orders", "orders-eu", "orders-us");
            assertThat(application.container("eager").options().concurrency()).isEqualTo(32);
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DelayListener(topic = "orders", concurrency = "32")
    @interface EagerListener {
        @AliasFor(annotation = DelayListener.class, attribute = "id")
        String name();
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DelayListener("orders-eu")
    @DelayListener("orders-us")
    @interface EverywhereListener {}

    static class Composed {
        @EagerListener(name = "eager")
        void one(String payload) {}

        @EverywhereListener
        void two(String payload) {}
    }

    @Test
    void annotationOfAnOverridingMethodReplacesTheOverriddenOne() {
        try (ListenerApplication application = ListenerApplication.start(Narrow.class)) {
            assertThat(application.onlyContainer().topic()).isEqualTo("narrow");
            assertThat(application.registry().getListenerIds()).hasSize(1);
        }
    }

    static class Wide {
        @DelayListener("wide")
        void handle(String payload) {}
    }

    static class Narrow extends Wide {
        @Override
        @DelayListener("narrow")
        void handle(String payload) {}
    }

    @Test
    void anInheritedMethodGetsThePayloadTypeOfItsClass() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Generic.class)) {
            assertThat(application.onlyContainer().spec.payloadType()).isEqualTo(Integer.class);
            application.onlyContainer().deliverPayload(4);
            assertThat(application.bean(Generic.class).got).containsExactly(4);
        }
    }

    abstract static class Base<T> {
        final List<T> got = new ArrayList<>();

        @DelayListener("numbers")
        public void handle(T payload) {
            got.add(payload);
        }
    }

    static class Generic extends Base<Integer> {}

    interface Handler {
        void handle(String payload);
    }

    static class HandlerOfOrders implements Handler {

        @Override
        @DelayListener("orders")
        public void handle(String payload) {}
    }

    @Test
    void scopedProxyHasOneListener() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Scoped.class)) {
            Scoped.instances.clear();
            application.onlyContainer().deliverPayload("one");
            application.onlyContainer().deliverPayload("two");

            assertThat(Scoped.instances).hasSize(2).doesNotHaveDuplicates();
            assertThat(application.registry().getListenerIds()).hasSize(1);
        }
    }

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        static final List<Integer> instances = new ArrayList<>();

        @DelayListener("orders")
        public void handle(String payload) {
            instances.add(System.identityHashCode(this));
        }
    }

    @Test
    void prototypeWithoutAProxyIsRejected() {
        assertThatExceptionOfType(InvalidListenerException.class)
                .isThrownBy(() -> ListenerApplication.start(Prototype.class))
                .withMessageContaining(
                        "Its bean is not a singleton: no listener would run until an instance is created, and");
    }

    @Test
    void anInstanceOfAPrototypeWithoutADefinitionOfItsTypeIsRejected() {
        try (ListenerApplication application = ListenerApplication.start(HiddenPrototype.class)) {
            assertThatExceptionOfType(BeanCreationException.class)
                    .isThrownBy(() -> application.bean(Runnable.class))
                    .havingCause()
                    .isInstanceOf(InvalidListenerException.class)
                    .withMessageContaining("Its bean is not a singleton");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenPrototype {
        @Bean
        @Scope("prototype")
        Runnable hidden() {
            return new Hidden();
        }
    }

    static class Hidden implements Runnable {
        @Override
        @DelayListener("orders")
        public void run() {}
    }

    @Scope("prototype")
    static class Prototype {
        @DelayListener("orders")
        void handle(String payload) {}
    }

    @Test
    void lazyBeanWithAListenerIsCreated() {
        try (ListenerApplication application = ListenerApplication.start(LazyListener.class)) {
            assertThat(application.onlyContainer().isRunning()).isTrue();
        }
    }

    @Lazy
    static class LazyListener {
        @DelayListener("orders")
        void handle(String payload) {}
    }

    @Test
    void listenerOfALaterBeanStartsAtOnce() {
        try (ListenerApplication application = ListenerApplication.start(Late.class)) {
            assertThat(application.registry().getListenerIds()).isEmpty();
            assertThat(application.bean(Handler.class)).isNotNull();
            assertThat(application.onlyContainer().isRunning()).isTrue();
        }
    }

    /** The declared type of the bean has no listener. */
    @Configuration(proxyBeanMethods = false)
    static class Late {
        @Bean
        @Lazy
        Handler handler() {
            return new HandlerOfOrders();
        }
    }

    @Test
    void annotationsHaveRuntimeHints() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Composed.class, Repeated.class);

        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Composed.class, "one"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Repeated.class, "handle"))
                .accepts(hints);
    }
}
