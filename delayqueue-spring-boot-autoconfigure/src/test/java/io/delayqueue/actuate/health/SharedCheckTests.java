package io.delayqueue.actuate.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a question is asked, and when somebody else's answer is waited for. */
class SharedCheckTests {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the monotonic clock may overflow
    private final List<CompletableFuture<String>> asked = new ArrayList<>();
    private final SharedCheck<String> check = new SharedCheck<>(this::newCheck, nanos::get);

    private CompletableFuture<String> newCheck() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    }

    @Test
    void whoComesMeanwhileWaitsForTheSameAnswer() {
        CompletableFuture<String> first = check.request();
        nanos.addAndGet(Duration.ofMillis(999).toNanos());

        assertThat(check.request()).isSameAs(first);
        assertThat(asked).hasSize(1);
    }

    @Test
    void afterAnAnswerItIsAskedAnew() {
        assertThat(check.request()).isNotDone();
        asked.get(0).complete("first");

        assertThat(check.request()).isNotDone();
        asked.get(1).completeExceptionally(new IllegalStateException("second"));
        assertThat(check.request()).isNotDone();
    }

    @Test
    void answerThatIsOverdueIsNotWaitedForByOthers() {
        CompletableFuture<String> first = check.request();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        CompletableFuture<String> second = check.request();

        assertThat(second).isNotSameAs(first);
        assertThat(check.request()).isSameAs(second);
    }
}
