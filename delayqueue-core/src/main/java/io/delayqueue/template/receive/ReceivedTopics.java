package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.Shard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The topics from which this node receives, or has received within the last minute. They count as consumed. Without the
 * minute, each request of an occasional client would register the node as a consumer and remove it again. Thread-safe.
 */
final class ReceivedTopics implements PeriodicTask {

    /** How long a topic counts as consumed after its last receiver. */
    static final Duration REMEMBERED = Duration.ofMinutes(1);

    private static final Duration IDLE = Duration.ofDays(1);

    private final @Nullable Function<Shard, Runnable> addConsumer;
    private final ReceiverContext context;
    private final Map<String, Consumption> topics = new HashMap<>();
    private @Nullable TaskHandle handle;

    /**
     * Creates the topics of one receiver.
     *
     * @param addConsumer registers this node as a consumer of a shard's topic and returns a task that removes the
     *     registration; null for no registration
     */
    ReceivedTopics(@Nullable Function<Shard, Runnable> addConsumer, ReceiverContext context) {
        this.addConsumer = addConsumer;
        this.context = context;
    }

    private static final class Consumption {

        private final Runnable removeConsumer;
        private boolean receiving = true;
        /** When the topic ceases to count as consumed, if no receiver receives. */
        private long until;

        Consumption(Runnable removeConsumer) {
            this.removeConsumer = removeConsumer;
        }
    }

    /** Records that receivers receive from a registered topic. */
    synchronized void begin(Shard shard) {
        if (addConsumer != null) {
            topics.computeIfAbsent(shard.topic(), topic -> new Consumption(addConsumer.apply(shard))).receiving = true;
        }
    }

    /** Records that the last receiver of a topic has ended. */
    synchronized void end(Shard shard) {
        Consumption consumption = topics.get(shard.topic());
        if (consumption != null) {
            consumption.receiving = false;
            consumption.until = context.now() + REMEMBERED.toNanos();
            if (handle == null) {
                handle = context.scheduler.schedule("received topics", this);
            } else {
                handle.wakeWithin(REMEMBERED);
            }
        }
    }

    @Override
    public Duration run() {
        List<Runnable> ended = new ArrayList<>();
        long next = IDLE.toNanos();
        synchronized (this) {
            long now = context.now();
            for (Consumption consumption : List.copyOf(topics.values())) {
                long left = consumption.until - now;
                if (!consumption.receiving && left <= 0) {
                    topics.values().remove(consumption);
                    ended.add(consumption.removeConsumer);
                } else if (!consumption.receiving) {
                    next = Math.min(next, left);
                }
            }
            if (next == IDLE.toNanos() && handle != null) {
                handle.cancel();
                handle = null;
            }
        }
        ended.forEach(Runnable::run);
        return Duration.ofNanos(next);
    }
}
