package io.delayqueue.listener;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * State of a listener's polls since its last start.
 *
 * @param sinceSuccess time since the last successful poll; null before the first one. A long time alone is not a
 *     problem: a listener without assigned shards and signals does not poll for hours
 * @param failingFor how long polls have been failing; null if the last poll succeeded
 * @param failure the failure of the last poll; null if it succeeded
 * @param overdueFor how long ago the next poll should have ended by the listener's own schedule; zero if no poll is
 *     overdue
 */
public record ListenerProgress(
        @Nullable Duration sinceSuccess,
        @Nullable Duration failingFor,
        @Nullable Throwable failure,
        Duration overdueFor) {

    /** The progress of a listener that does not run. */
    public static final ListenerProgress NONE = new ListenerProgress(null, null, null, Duration.ZERO);

    /**
     * Combines the progress of several shards: the failure and delay of the worst shard, and the most recent success
     * of all.
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
