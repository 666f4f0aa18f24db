package io.delayqueue.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Topics are sampled while the application runs, if meters or the endpoint show samples. */
class TopicSamplingTests {

    private final ApplicationContextRunner runner = QueueContexts.onRedis();

    @Test
    void topicsAreNotSampledIfNothingShowsSamples() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(DelayQueueInspector.class)
                .hasSingleBean(DelayQueueAdmin.class)
                .doesNotHaveBean(TopicSampler.class)
                .doesNotHaveBean("delayQueueTopicSampling"));
    }

    @Test
    void topicsAreSampledAtTheIntervalByATaskOfTheEngine() {
        runner.withUserConfiguration(Shown.class)
                .withPropertyValues("delayqueue.metrics.sample-interval=1s")
                .run(context -> {
                    context.getBean(DelayQueueTemplate.class).send("orders", "payload");
                    TopicSampler sampler = context.getBean(TopicSampler.class);
                    await().until(() -> sampler.history("orders").size() > 1);
                    assertThat(sampler.newest().get(0).status().counts().ready())
                            .isEqualTo(1);

                    SmartLifecycle sampling = context.getBean("delayQueueTopicSampling", SmartLifecycle.class);
                    assertThat(sampling.isRunning()).isTrue();
                    sampling.stop();
                    assertThat(sampling.isRunning()).isFalse();
                    sampling.start();
                    Instant sampled = sampler.newest().get(0).at();
                    await().until(() -> sampler.newest().get(0).at().isAfter(sampled));
                });
    }

    @Test
    void idleTopicsAreDeletedByTheEngine() {
        runner.withUserConfiguration(Shown.class)
                .withPropertyValues(
                        "delayqueue.metrics.sample-interval=1s", "delayqueue.metrics.forget-topics-after=1s")
                .run(context -> {
                    DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
                    template.send("kept", "payload");
                    template.send(DelayMessage.to("idle").id("a").payload("p").build());
                    template.cancel("idle", "a");
                    TopicRegistry registry = context.getBean(TopicRegistry.class);
                    await().until(() -> !registry.topics().join().contains("idle"));
                    assertThat(registry.topics().join()).containsExactly("kept");
                });
    }

    @Configuration(proxyBeanMethods = false)
    @Import({TopicSamplerConfiguration.class, ShownTwice.class})
    static class Shown {}

    @Configuration(proxyBeanMethods = false)
    @Import(TopicSamplerConfiguration.class)
    static class ShownTwice {}
}
