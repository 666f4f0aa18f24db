package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications that declare limits of a topic when they start. */
@EmbeddedRedis
class LimitsCheckTests {

    private static final String CONCURRENT = "delayqueue.topics[sms].max-concurrent=";
    private static final TopicLimits THREE = new TopicLimits(3, null, null);

    private final RedisServerProcess redis;

    LimitsCheckTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
        redis.command("CONFIG", "RESETSTAT");
    }

    private ApplicationContextRunner application(String... properties) {
        return QueueContexts.withoutRedis()
                .withConfiguration(AutoConfigurations.of(HealthAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=" + redis.port(), "delayqueue.namespace=dq")
                .withPropertyValues(properties)
                .withBean(SmartInitializingSingleton.class, () -> QueueContexts.untilRedisReplies(redis));
    }

    private String registration() {
        return String.valueOf(redis.command("HGET", "dq:topics", "sms"));
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("delayqueueHealthIndicator", HealthIndicator.class)
                .health();
    }

    @Test
    void limitsAreDeclaredAtTheStart() {
        application(CONCURRENT + 3, "delayqueue.topics[sms].rate=100/1m").run(context -> {
            assertThat(context).hasNotFailed();
            await().untilAsserted(() -> assertThat(registration()).matches("1:\\d+ c3 100/60000/- 0"));
            assertThat(context.getBean(DelayQueueAdmin.class).limits("sms").declared())
                    .isEqualTo(TopicLimits.of(3, null, "100/1m", null, null));
        });
    }

    @Test
    void aNodeWithoutThePropertyChangesNothing() {
        application(CONCURRENT + 3)
                .run(context ->
                        await().untilAsserted(() -> assertThat(registration()).endsWith(" c3 0 0")));
        String declared = registration();
        application("delayqueue.topics[sms].concurrency=2").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(DelayQueueAdmin.class).limits("sms").effective())
                    .isEqualTo(THREE);
        });
        assertThat(registration()).isEqualTo(declared);
    }

    @Test
    void theNodeThatStartedLastWinsAndTheOtherStaysUp() {
        application(CONCURRENT + 3)
                .run(first -> application(CONCURRENT + 4).run(second -> {
                    assertThat(second).hasNotFailed();
                    await().untilAsserted(() -> assertThat(registration()).endsWith(" c4 0 0"));
                    assertThat(health(second).getDetails()).doesNotContainKey("limits");
                    assertThat(first.getBean(DelayQueueAdmin.class)
                                    .limits("sms")
                                    .effective())
                            .isEqualTo(new TopicLimits(4, null, null));
                    await().untilAsserted(() -> {
                        Health health = health(first);
                        assertThat(health.getStatus()).isEqualTo(Status.UP);
                        assertThat(String.valueOf(health.getDetails().get("limits")))
                                .contains("sms", "at most 4 at a time", "this node: at most 3 at a time");
                    });
                }));
    }

    @Test
    void aTopicWithSeveralShardsFailsTheStart() {
        redis.command("HSET", "dq:topics", "sms", "4:17");
        application(CONCURRENT + 3, "delayqueue.topics[sms].max-messages=9").run(context -> {
            assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(StartFailedException.class)
                    .hasMessage("Topic sms is registered with 4 shards, but a topic with"
                            + " delayqueue.topics[sms].max-concurrent or delayqueue.topics[sms].max-messages must have"
                            + " one.");
            StartFailedException failure = (StartFailedException) rootCause(context.getStartupFailure());
            assertThat(failure.action())
                    .contains("Remove delayqueue.topics[sms].max-concurrent", "set delayqueue.topics[sms].shards to 1");
        });
        assertThat(registration()).isEqualTo("4:17");
    }

    @Test
    void aLimitForEachKeyOfATopicThatIsNotFairFailsTheStart() {
        redis.command("HSET", "dq:topics", "sms", "1:17");
        application("delayqueue.topics[sms].max-concurrent-per-key=2").run(context -> {
            StartFailedException failure = (StartFailedException) rootCause(context.getStartupFailure());
            assertThat(failure)
                    .hasMessage("Topic sms is not fair, but delayqueue.topics[sms].max-concurrent-per-key requires"
                            + " keys=fair.");
            assertThat(failure.action())
                    .contains(
                            "Set delayqueue.topics[sms].keys to fair",
                            "or remove delayqueue.topics[sms].max-concurrent-per-key.");
        });
        assertThat(registration()).isEqualTo("1:17");
    }

    @Test
    void aLimitForEachKeyIsDeclaredWithAFairTopic() {
        application("delayqueue.topics[sms].keys=fair", "delayqueue.topics[sms].max-concurrent-per-key=2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    await().untilAsserted(() -> assertThat(registration()).matches("1f:\\d+ c0/2 0 0"));
                });
    }

    private static Throwable rootCause(Throwable failure) {
        return failure.getCause() == null ? failure : rootCause(failure.getCause());
    }

    @Test
    void theStartContinuesIfRedisDoesNotReply() {
        QueueContexts.withoutRedis()
                .withPropertyValues(CONCURRENT + 3)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
