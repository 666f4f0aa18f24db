package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What the log says about listeners that do not do what their author expects. */
@ExtendWith(OutputCaptureExtension.class)
class ListenerAdviceTests {

    private final ApplicationContextRunner runner = QueueContexts.onRedis();

    @Configuration(proxyBeanMethods = false)
    static class One {
        @DelayListener(topic = "shared", id = "one")
        void handle(String text) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Other {
        @DelayListener(topic = "shared", id = "other")
        void handle(String text) {}
    }

    @Test
    void listenersThatShareATopicAreNamed(CapturedOutput output) {
        runner.withBean("one", One.class)
                .withBean("other", Other.class)
                .run(context -> assertThat(output)
                        .containsPattern("Topic shared is shared by two listeners: .*One.* and .*Other"));
    }

    @Test
    void listenerOfAnObjectThatSpringDidNotCreateIsNamed(CapturedOutput output) {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("mocked", new One()))
                .run(context -> {
                    assertThat(context.getBean(DelayListenerRegistry.class).getListenerIds())
                            .isEmpty();
                    assertThat(output).contains("The listeners of bean 'mocked' (" + One.class.getName());
                });
    }

    static class Closing {

        @Autowired
        ConfigurableApplicationContext context;

        final CountDownLatch closed = new CountDownLatch(1);

        @DelayListener(topic = "closing", id = "closing")
        void handle(String text) {
            context.close();
            closed.countDown();
        }
    }

    @Test
    void handlerMayCloseTheApplication(CapturedOutput output) {
        runner.withBean(Closing.class).run(context -> {
            Closing closing = context.getBean(Closing.class);
            context.getBean(DelayQueueTemplate.class).send("closing", "text");
            await().untilAsserted(() -> assertThat(closing.closed.getCount()).isZero());
            assertThat(output)
                    .contains("A handler of listener closing stops its own listener")
                    .doesNotContain("still handled after");
        });
    }

    @Test
    void sendAfterTheCloseSaysThatTheApplicationIsStopping() {
        runner.run(context -> {
            DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
            template.send("t", "text");
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .close();
            DelayMessage message = DelayMessage.to("t").payload("text").build();
            Exception failure = catchThrowableOfType(Exception.class, () -> template.send(message));
            assertThat(failure).hasStackTraceContaining("The application is stopping");
            assertThat(String.valueOf(failure.getMessage())).doesNotContain("Lambda", "cannot be reached");
        });
    }
}
