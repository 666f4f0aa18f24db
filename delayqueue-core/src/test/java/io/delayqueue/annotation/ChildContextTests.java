package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Listeners belong to the context that declares them, also if the registry is a bean of its parent. */
class ChildContextTests {

    private final ListenerApplication parent = ListenerApplication.start(OfParent.class);

    @AfterEach
    void close() {
        parent.close();
    }

    private AnnotationConfigApplicationContext child(Class<?>... beans) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent.context);
        child.registerBeanDefinition(
                "delayListenerPostProcessor",
                BeanDefinitionBuilder.genericBeanDefinition(DelayListenerAnnotationBeanPostProcessor.class)
                        .getBeanDefinition());
        child.register(beans);
        return child;
    }

    @Test
    void listenerEndsWithItsContextBeforeItsBeanIsDestroyed() {
        AnnotationConfigApplicationContext child = child(OfChild.class);
        child.refresh();
        RecordingContainer container = parent.container("child");
        OfChild bean = child.getBean(OfChild.class);
        bean.container = container;
        assertThat(container.isRunning()).isTrue();

        child.close();

        assertThat(bean.runningWhenDestroyed).isFalse();
        assertThat(parent.registry().getListenerIds()).containsExactly("parent");
        assertThat(parent.container("parent").isRunning()).isTrue();
    }

    @Test
    void closedContextStopsNoListenerOfAnotherChild() {
        try (AnnotationConfigApplicationContext other = child(OfOtherChild.class)) {
            other.refresh();
            AnnotationConfigApplicationContext child = child(OfChild.class);
            child.refresh();

            child.close();

            assertThat(parent.container("other").isRunning()).isTrue();
        }
    }

    @Test
    void listenersOfAContextWhoseStartFailedEnd() {
        assertThatThrownBy(() -> child(OfChild.class, Failing.class).refresh()).hasRootCauseMessage("failing");

        assertThat(parent.registry().getListenerIds()).containsExactly("parent");
    }

    static class OfParent {

        @DelayListener(topic = "t", id = "parent")
        void handle(String payload) {}
    }

    static class OfChild implements DisposableBean {

        private RecordingContainer container;
        private boolean runningWhenDestroyed;

        @DelayListener(topic = "t", id = "child")
        void handle(String payload) {}

        @Override
        public void destroy() {
            runningWhenDestroyed = container != null && container.isRunning();
        }
    }

    static class OfOtherChild {

        @DelayListener(topic = "t", id = "other")
        void handle(String payload) {}
    }

    static class Failing implements SmartLifecycle {

        @Override
        public void start() {
            throw new IllegalStateException("failing");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
