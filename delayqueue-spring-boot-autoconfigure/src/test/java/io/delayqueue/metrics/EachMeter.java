package io.delayqueue.metrics;

import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Schedule;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.test.redis.RedisServerProcess;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Gives each meter a value: an application listens, receives, has dead letters, and had a call rejected by Redis. */
final class EachMeter {

    /** A topic with characters that a meter may have to escape. */
    static final String ODD_TOPIC = "order/\"cancel\" {ü} \\ 100 %";

    private EachMeter() {}

    static class Listeners {

        @DelayListener(topic = "t", id = "l", maxAttempts = "1")
        void handle(String text) {
            if (text.equals("fail")) {
                throw new IllegalStateException("as told");
            }
        }

        @DeadLetterListener(topic = "t", id = "deadLetters")
        void gaveUp(DeadLetter deadLetter) {}

        @Bean
        static CommitOutbox outbox() {
            return new FilledOutbox();
        }
    }

    /** Requires a dedicated server, because its memory is full for a moment. */
    static void in(ApplicationContext application, RedisServerProcess redis) {
        DelayQueueTemplate delayQueue = application.getBean(DelayQueueTemplate.class);
        MeterRegistry registry = application.getBean(MeterRegistry.class);
        delayQueue.send("t", "please");
        delayQueue.send("t", "fail");
        delayQueue.send(ODD_TOPIC, "please");
        application
                .getBean(DelayQueueSchedules.class)
                .put(Schedule.of(ODD_TOPIC, "daily").every(Duration.ofDays(1)).payload("please"));
        application
                .getBean(DelayQueueReceiver.class)
                .receive(ODD_TOPIC, 1, Duration.ofSeconds(20))
                .forEach(delivery -> delivery.acknowledge().join());
        await().until(() -> registry.find(DelayQueueMeters.MESSAGES_DEAD.getName()).counters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum()
                == 1);
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            delayQueue.send("t", "rejected");
            throw new AssertionError("Redis took a message although its memory is full");
        } catch (DelayQueueException expected) {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
        TopicSampler sampler = application.getBean(TopicSampler.class);
        MeterTest.sample(sampler);
        // the attempts are in the next heartbeat
        await().until(() -> {
            MeterTest.sample(sampler);
            return !registry.find(DelayQueueMeters.REQUIRED_HANDLERS.getName())
                    .meters()
                    .isEmpty();
        });
    }
}
