package io.delayqueue.actuate.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a check is started, and when a pending check is shared. */
class SharedCheckTests {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the monotonic clock may overflow
    private final List<CompletableFuture<String>> started = new ArrayList<>();
    private final SharedCheck<String> check = new SharedCheck<>(this::newCheck, nanos::get);

    private CompletableFuture<String> newCheck() {
        CompletableFuture<String> result = new CompletableFuture<>();
        started.add(result);
        return result;
    }

    @Test
    void concurrentCallersShareAPendingCheck() {
        CompletableFuture<String> first = check.request();
        nanos.addAndGet(Duration.ofMillis(999).toNanos());

        assertThat(check.request()).isSameAs(first);
        assertThat(started).hasSize(1);
    }

    @Test
    void completedCheckIsRepeated() {
        assertThat(check.request()).isNotDone();
        started.get(0).complete("first");

        assertThat(check.request()).isNotDone();
        started.get(1).completeExceptionally(new IllegalStateException("second"));
        assertThat(check.request()).isNotDone();
    }

    @Test
    void checkThatIsPendingForASecondIsReplaced() {
        CompletableFuture<String> first = check.request();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        CompletableFuture<String> second = check.request();

        assertThat(second).isNotSameAs(first);
        assertThat(check.request()).isSameAs(second);
    }
}
