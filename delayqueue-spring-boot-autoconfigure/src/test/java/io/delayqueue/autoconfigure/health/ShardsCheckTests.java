package io.delayqueue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Applications whose configured number of shards, or meaning of keys, differs from the registered one. */
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class ShardsCheckTests {

    private static final String SHARDS = "delayqueue.topics[order.cancel].shards=";
    private static final String KEYS = "delayqueue.topics[order.cancel].keys=";
    private static final String TOPIC = "order.cancel";

    private final RedisServerProcess redis;

    ShardsCheckTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
        redis.command("CONFIG", "RESETSTAT");
    }

    private ApplicationContextRunner application(String... properties) {
        return on(redis, properties)
                .withBean(SmartInitializingSingleton.class, () -> QueueContexts.untilRedisReplies(redis));
    }

    private static ApplicationContextRunner on(RedisServerProcess redis, String... properties) {
        return QueueContexts.withoutRedis()
                .withPropertyValues("spring.data.redis.port=" + redis.port(), "delayqueue.namespace=dq")
                .withPropertyValues(properties);
    }

    private static void send(ApplicationContext context, String id) {
        context.getBean(DelayQueueTemplate.class)
                .send(DelayMessage.to(TOPIC)
                        .id(id)
                        .payload("text")
                        .delay(Duration.ofHours(1))
                        .build());
    }

    private static void sendWithKey(ApplicationContext context, String id) {
        context.getBean(DelayQueueTemplate.class)
                .send(DelayMessage.to(TOPIC)
                        .id(id)
                        .key("customer-7")
                        .payload("text")
                        .build());
    }

    private static boolean has(ApplicationContext context, String id) {
        return context.getBean(DelayQueueTemplate.class).find(TOPIC, id).isPresent();
    }

    private static String registration(RedisServerProcess redis) {
        return String.valueOf(redis.command("HGET", "dq:topics", TOPIC));
    }

    private static List<String> keys(RedisServerProcess redis) {
        return ((List<?>) redis.command("KEYS", "*"))
                .stream().map(String::valueOf).sorted().toList();
    }

    @Test
    void startRegistersNothing() {
        application(SHARDS + 8).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
            send(context, "a");
            assertThat(registration(redis)).startsWith("8:");
        });
    }

    @Test
    void otherCountOfATopicWithMessagesFailsTheStart(CapturedOutput output) {
        application(SHARDS + 4).run(context -> send(context, "a"));
        List<String> before = keys(redis);
        assertThat(catchThrowable(() -> new SpringApplicationBuilder(RedisSettingsTests.Application.class)
                        .web(WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port(), SHARDS + 8)
                        .initializers(context -> ((GenericApplicationContext) context)
                                .registerBean(
                                        SmartInitializingSingleton.class, () -> QueueContexts.untilRedisReplies(redis)))
                        .run()
                        .close()))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "Topic order.cancel is registered with shards=4, but delayqueue.topics[order.cancel].shards is 8.")
                .contains("Set delayqueue.topics[order.cancel].shards to 4 or remove the property")
                .contains("delayqueue.shards.on-conflict=follow")
                .contains("DelayQueueAdmin.deleteTopic");
        assertThat(keys(redis)).isEqualTo(before);
        assertThat(registration(redis)).startsWith("4:");
    }

    @Test
    void otherMeaningOfKeysFailsTheStart() {
        application(KEYS + "ordered").run(context -> sendWithKey(context, "a"));

        application(KEYS + "none")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Topic order.cancel is registered with keys=ordered, but"
                                + " delayqueue.topics[order.cancel].keys is none."));
        application(KEYS + "none", "delayqueue.shards.on-conflict=follow").run(context -> sendWithKey(context, "b"));
        application().run(context -> {
            sendWithKey(context, "c");
            assertThat(catchThrowable(() -> send(context, "d")))
                    .hasMessageContaining("it has no key, but topic order.cancel is ordered");
        });
    }

    @Test
    void aTopicWithKeysHasOneShard() {
        application(KEYS + "ordered", SHARDS + 2)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .hasStackTraceContaining(
                                        "delayqueue.topics[order.cancel].shards is 2, but must be 1, because a topic with keys has one shard"));
    }

    @Test
    void failureEscapesLineBreaksOfATopic() {
        assertThat(ShardsCheck.conflict("t\nERROR forged", new ShardPlan.Contradiction("shards", "1", "2")))
                .message()
                .contains("t\\nERROR forged")
                .doesNotContain("\n");
    }

    @Test
    void followUsesTheRegisteredCountAndLogsOneWarning(CapturedOutput output) {
        application(SHARDS + 4).run(context -> send(context, "a"));
        application(SHARDS + 8, "delayqueue.shards.on-conflict=follow").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(has(context, "a")).isTrue();
            send(context, "b");
        });
        application(SHARDS + 4).run(context -> assertThat(has(context, "b")).isTrue());
        assertThat(output)
                .containsOnlyOnce("Topic order.cancel is registered with shards=4, which is used here, although"
                        + " delayqueue.topics[order.cancel].shards is 8");
    }

    @Test
    void registrationOfALaterVersionFailsTheStart() {
        redis.command("HSET", "dq:topics", TOPIC, "2048:17");
        application(SHARDS + 8)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("registered as 2048:17")
                        .hasMessageContaining("Use a newer version"));
    }
}
