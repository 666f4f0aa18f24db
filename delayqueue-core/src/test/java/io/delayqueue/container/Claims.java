package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.ShardSession;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Claimed deliveries for tests without a store. */
final class Claims {

    private static final ListenerOptions OPTIONS = ListenerOptions.DEFAULTS.toBuilder()
            .lease(Duration.ofSeconds(30))
            .handlingTime(Duration.ofMinutes(1))
            .prefetchTime(Duration.ofHours(1))
            .build();

    private Claims() {}

    /** A task that is told within which time it is to run. */
    static TaskHandle task(Consumer<Duration> woken) {
        return new TaskHandle() {
            @Override
            public void wake() {
                woken.accept(Duration.ZERO);
            }

            @Override
            public void wakeWithin(Duration time) {
                woken.accept(time);
            }

            @Override
            public void cancel() {}
        };
    }

    /** A session whose polls have no reply. */
    static ShardSession session(LongSupplier nanoTime) {
        return new ShardSession(
                request -> new CompletableFuture<>(),
                "me",
                new AtomicLong()::incrementAndGet,
                nanoTime,
                new EventBus(List.of()),
                new Recipient("t", QueueKind.MESSAGES, null),
                completions -> completions.forEach(Runnable::run));
    }

    /** The open deliveries of a listener with leases of 30 s and a handling time of a minute. */
    static OpenDeliveries deliveries(
            LongSupplier nanoTime, ShardSession session, TaskHandle task, BooleanSupplier claiming) {
        ListenerSpec spec = new ListenerSpec("l", "t", QueueKind.MESSAGES, OPTIONS, String.class, all -> null);
        AttemptLog attempts = new AttemptLog(spec, nanoTime, "");
        return new OpenDeliveries(
                EngineSettings.DEFAULTS,
                nanoTime,
                OPTIONS,
                session,
                new ClaimBudget(1000, 0, Duration.ZERO).share(task),
                attempts,
                new FailsAlone("l", false, attempts, watcher -> () -> {}, nanoTime, () -> {}),
                task,
                claiming);
    }

    static Claim claim(String id, int payloadBytes) {
        String stored = "1000001000001n\n\n" + "x".repeat(payloadBytes);
        return new Claim(id, "token", 1, 1, 0, 0, false, null, stored.getBytes(UTF_8));
    }

    static ClaimedDelivery delivery(OpenDeliveries deliveries, String id, long sentAt, long repliedAt) {
        return new ClaimedDelivery(
                deliveries, new RedisClock(() -> 0), Shard.single("t"), claim(id, 0), OPTIONS, sentAt, repliedAt);
    }

    /** A delivery that is only told apart from others. */
    static ClaimedDelivery delivery(String id) {
        return delivery(deliveries(() -> 0, session(() -> 0), task(time -> {}), () -> true), id, 0, 0);
    }
}
