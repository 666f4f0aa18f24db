package io.delayqueue.listener;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a listener gets on with Redis, since it was started last.
 *
 * @param sinceSuccess how long ago its last step succeeded; null before the first. By itself it says nothing: whoever has
 *     nothing to look after makes no step for hours
 * @param failingFor for how long its steps have been failing; null if the last one succeeded
 * @param failure what the last step failed with; null if it succeeded
 * @param overdueFor for how long a step has been due by the listener's own word and has not ended; zero when none is
 */
public record ListenerProgress(
        @Nullable Duration sinceSuccess,
        @Nullable Duration failingFor,
        @Nullable Throwable failure,
        Duration overdueFor) {

    /** Of a listener that does not run. */
    public static final ListenerProgress NONE = new ListenerProgress(null, null, null, Duration.ZERO);

    /**
     * How it goes with several shards: as with the worst of them, and the last success is that of the shard which waited
     * least for one.
     *
     * @param shards at least one
     */
    public static ListenerProgress of(List<ListenerProgress> shards) {
        ListenerProgress worst = shards.stream()
                .max(Comparator.comparing(ListenerProgress::failing).thenComparing(ListenerProgress::overdueFor))
                .orElse(NONE);
        Duration sinceSuccess = shards.stream()
                .map(ListenerProgress::sinceSuccess)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        return new ListenerProgress(sinceSuccess, worst.failingFor(), worst.failure(), worst.overdueFor());
    }

    private Duration failing() {
        return failingFor == null ? Duration.ofNanos(-1) : failingFor;
    }
}
