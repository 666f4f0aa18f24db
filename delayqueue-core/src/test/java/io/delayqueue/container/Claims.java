package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.store.Claim;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries for tests without a store. */
final class Claims {

    /** Ignores all calls. */
    static final ClaimedDelivery.Owner NOBODY = new ClaimedDelivery.Owner() {
        @Override
        public CompletableFuture<Boolean> settled(
                ClaimedDelivery delivery, Settlement settlement, @Nullable Throwable failure) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Settlement.Extend extension) {
            return CompletableFuture.completedFuture(true);
        }
    };

    /** Ignores wake-ups. */
    static final TaskHandle NO_TASK = task(time -> {});

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

    static Claim claim(String id, int payloadBytes) {
        String stored = "1000001000001n\n\n" + "x".repeat(payloadBytes);
        return new Claim(id, "token", 1, 1, 0, 0, false, null, stored.getBytes(UTF_8));
    }

    static ClaimedDelivery delivery(String id, Duration lease, long sentAt, long repliedAt) {
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().lease(lease).build();
        return new ClaimedDelivery(NOBODY, new RedisClock(() -> 0), "t", claim(id, 0), options, sentAt, repliedAt);
    }
}
