package io.delayqueue.test.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The time that running handlers have. */
class RunningHandlersTests {

    private final AtomicLong now = new AtomicLong();
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private Runnable onRead = () -> {};
    private final RunningHandlers handlers = new RunningHandlers(() -> {
        onRead.run();
        return now.get();
    });

    @Test
    void handlerThatRunsAlreadyHasTheWholeTimeout() throws Exception {
        handlers.around("asynchronous", List.of(), () -> result);
        pass(Duration.ofHours(1));
        handlers.timeout(Duration.ofMinutes(1));
        onRead = () -> {
            pass(Duration.ofSeconds(20));
            if (now.get() > Duration.ofHours(1).plusSeconds(50).toNanos()) {
                result.complete(null);
            }
        };
        assertThatCode(handlers::await).doesNotThrowAnyException();
        assertThat(result).isCompleted();
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
