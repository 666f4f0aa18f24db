package io.delayqueue.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.IdleTopics;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.DirectFieldAccessor;
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
    void topicsAreSampledByATaskOfTheEngineWhileTheApplicationRuns() {
        runner.withUserConfiguration(Shown.class)
                .withPropertyValues(
                        "delayqueue.metrics.sample-interval=7m", "delayqueue.metrics.forget-topics-after=8m")
                .run(context -> {
                    TopicSampler sampler = context.getBean(TopicSampler.class);
                    assertThat(part(sampler, "interval")).isEqualTo(Duration.ofMinutes(7));
                    assertThat(part(context.getBean(IdleTopics.class), "after")).isEqualTo(Duration.ofMinutes(8));
                    await().until(() -> sampler.age().isPresent());

                    SmartLifecycle sampling = context.getBean("delayQueueTopicSampling", SmartLifecycle.class);
                    assertThat(sampling.isRunning()).isTrue();
                    sampling.stop();
                    assertThat(sampling.isRunning()).isFalse();
                    context.getBean(DelayQueueTemplate.class).send("orders", "payload");
                    sampling.start();
                    await().until(() -> !sampler.newest().isEmpty());
                    assertThat(sampler.newest().get(0).counts().ready()).isEqualTo(1);
                });
    }

    private static Object part(Object bean, String name) {
        return new DirectFieldAccessor(bean).getPropertyValue(name);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({TopicSamplerConfiguration.class, ShownTwice.class})
    static class Shown {}

    @Configuration(proxyBeanMethods = false)
    @Import(TopicSamplerConfiguration.class)
    static class ShownTwice {}
}
