package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records what consumer processes report and checks the delivery guarantees at the end, although some processes are
 * killed. All times are in milliseconds since 1970. Redis runs on the same machine and uses the same clock.
 * Thread-safe.
 */
final class DeliveryLog {

    private final Map<String, List<Attempt>> attempts = new HashMap<>();
    private final Map<String, Long> due = new HashMap<>();
    private final Map<String, Cancel> cancelled = new HashMap<>();
    private final Map<String, String> deadLettered = new HashMap<>();
    private final Set<String> acknowledged = new HashSet<>();
    private final Set<String> possiblyAcceptedTwice = new HashSet<>();
    private final Map<KillableConsumer, Integer> handling = new HashMap<>();
    private final Map<String, Integer> eventCounts = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private long lastSettledAt;
    private String lastSettledId = "";
    private int highestStarted = -1;

    private record Cancel(CancelOutcome outcome, long confirmedAt) {}

    /** One handler invocation. */
    private static final class Attempt {

        private final KillableConsumer consumer;
        private final int number;
        private final long startedAt;
        private long endedAt;
        private boolean failed;
        private boolean acknowledged;

        private Attempt(KillableConsumer consumer, int number, long startedAt) {
            this.consumer = consumer;
            this.number = number;
            this.startedAt = startedAt;
        }

        /** Whether the process was killed before it reported the acknowledgement. */
        private boolean wasInterrupted() {
            return consumer.wasKilled() && !acknowledged;
        }

        @Override
        public String toString() {
            return "attempt " + number + " by " + consumer + " at " + startedAt
                    + (failed ? ", failed" : endedAt > 0 ? ", ended " + endedAt : "")
                    + (acknowledged ? ", acknowledged" : "")
                    + (consumer.wasKilled() ? ", killed " + consumer.killedAt() : "");
        }
    }

    /** Records a message. Call this before the message is sent. */
    synchronized void sent(String id, long dueMillis) {
        due.put(id, dueMillis);
    }

    /**
     * Records messages whose send was repeated after the message of the first send may have been settled. Redis then
     * accepts the repeat as a new message.
     */
    synchronized void possiblyAcceptedTwice(Collection<String> ids) {
        possiblyAcceptedTwice.addAll(ids);
    }

    synchronized void cancelled(String id, CancelOutcome outcome) {
        if (outcome.isCancelled()) {
            cancelled.put(id, new Cancel(outcome, System.currentTimeMillis()));
        }
    }

    /** Records a line that a consumer wrote: time, event, and details of the event. */
    synchronized void record(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        long at = Long.parseLong(words[0]);
        eventCounts.merge(words[1], 1, Integer::sum);
        switch (words[1]) {
            case "started" -> started(consumer, words[2], Integer.parseInt(words[3]), Long.parseLong(words[4]), at);
            case "ended", "failed" -> ended(consumer, words, at);
            case "acknowledged" -> acknowledged(consumer, words, at);
            case "deadLettered" -> {
                settled(words[2], at);
                deadLettered.put(words[2], words[3]);
            }
            default -> {}
        }
    }

    private void started(KillableConsumer consumer, String id, int number, long dueMillis, long at) {
        handling.merge(consumer, 1, Integer::sum);
        highestStarted = Math.max(highestStarted, numberOf(id));
        List<Attempt> all = attempts.computeIfAbsent(id, any -> new ArrayList<>());
        all.add(new Attempt(consumer, number, at));
        // each consumer has its own reader thread, so lines arrive out of order
        all.sort(Comparator.comparingLong(attempt -> attempt.startedAt));
        long earliest = Math.max(dueMillis, due.getOrDefault(id, Long.MAX_VALUE));
        if (at < earliest) {
            violations.add(id + " was " + (earliest - at) + " ms early");
        }
    }

    private void settled(String id, long at) {
        if (at > lastSettledAt) {
            lastSettledAt = at;
            lastSettledId = id;
        }
    }

    private void ended(KillableConsumer consumer, String[] words, long at) {
        handling.merge(consumer, -1, Integer::sum);
        Attempt attempt = attempt(consumer, words);
        if (attempt != null) {
            attempt.endedAt = at;
            attempt.failed = words[1].equals("failed");
        }
    }

    private void acknowledged(KillableConsumer consumer, String[] words, long at) {
        settled(words[2], at);
        Attempt attempt = attempt(consumer, words);
        if (attempt != null) {
            attempt.acknowledged = true;
            if (!acknowledged.add(words[2]) && !possiblyAcceptedTwice.contains(words[2])) {
                violations.add(words[2] + " was acknowledged twice: " + attempts.get(words[2]));
            }
        }
    }

    private @Nullable Attempt attempt(KillableConsumer consumer, String[] words) {
        List<Attempt> all = attempts.getOrDefault(words[2], List.of());
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).consumer == consumer && all.get(i).number == Integer.parseInt(words[3])) {
                return all.get(i);
            }
        }
        violations.add(consumer + " reported the end of an attempt that never started: " + String.join(" ", words));
        return null;
    }

    synchronized boolean isHandling(KillableConsumer consumer) {
        return handling.getOrDefault(consumer, 0) > 0;
    }

    /** Number of messages that are known to be acknowledged, dead-lettered or cancelled. */
    synchronized int settled() {
        Set<String> settled = new HashSet<>(acknowledged);
        settled.addAll(deadLettered.keySet());
        settled.addAll(cancelled.keySet());
        return settled.size();
    }

    /** Highest number of a message whose handler was started. */
    synchronized int highestStarted() {
        return highestStarted;
    }

    /** Time of the last acknowledgement or dead-lettering. */
    synchronized long lastSettledAt() {
        return lastSettledAt;
    }

    /** Attempts of the message that was settled last. */
    synchronized String lastSettledHistory() {
        return lastSettledId + " " + attempts.get(lastSettledId);
    }

    synchronized boolean isCancelled(String id) {
        return cancelled.containsKey(id);
    }

    /** Messages whose outcome is unknown: not acknowledged, cancelled, dead-lettered or stored. */
    synchronized Set<String> withUnknownOutcome(Set<String> stored, Set<String> deadLetters) {
        Set<String> open = new HashSet<>();
        for (String id : due.keySet()) {
            if (outcomes(id, stored, deadLetters) == 0 && !mayHaveBeenAcknowledged(id)) {
                open.add(id);
            }
        }
        return open;
    }

    private int outcomes(String id, Set<String> stored, Set<String> deadLetters) {
        return (acknowledged.contains(id) ? 1 : 0)
                + (deadLetters.contains(id) ? 1 : 0)
                + (cancelled.containsKey(id) ? 1 : 0)
                + (stored.contains(id) ? 1 : 0);
    }

    /** Whether the last handler succeeded less than a lease before its process was killed. */
    private boolean mayHaveBeenAcknowledged(String id) {
        List<Attempt> all = attempts.getOrDefault(id, List.of());
        if (all.isEmpty()) {
            return false;
        }
        Attempt last = all.get(all.size() - 1);
        return last.wasInterrupted()
                && last.endedAt > 0
                && !last.failed
                && last.consumer.killedAt() - last.endedAt < ConsumerProcess.LEASE.toMillis();
    }

    /**
     * Checks the invariants and returns statistics.
     *
     * @param stored ids that are still live in Redis
     * @param deadLetters message ids of the dead letters in Redis
     */
    synchronized String check(Set<String> stored, Set<String> deadLetters) {
        int redeliveries = 0;
        int possiblyAcknowledged = 0;
        for (String id : due.keySet()) {
            redeliveries += checkAttempts(id);
            int outcomes = outcomes(id, stored, deadLetters);
            if (outcomes == 0 && mayHaveBeenAcknowledged(id)) {
                possiblyAcknowledged++;
            } else if (outcomes != 1 && !(outcomes > 1 && possiblyAcceptedTwice.contains(id))) {
                violations.add(
                        id + " was acknowledged " + acknowledged.contains(id) + ", dead " + deadLetters.contains(id)
                                + ", cancelled " + cancelled.get(id) + ", stored " + stored.contains(id) + ": "
                                + attempts.get(id));
            }
        }
        deadLetters.stream()
                .filter(id -> !ConsumerProcess.alwaysFails(numberOf(id)))
                .forEach(id -> violations.add(id + " was dead-lettered before its last attempt: " + attempts.get(id)));
        assertThat(violations).isEmpty();
        return due.size() + " sent, " + acknowledged.size() + " acknowledged, " + possiblyAcknowledged
                + " possibly acknowledged, "
                + deadLetters.size() + " dead-lettered, " + cancelled.size() + " cancelled, "
                + stored.size() + " stored, " + redeliveries + " redelivered after a kill, "
                + possiblyAcceptedTwice.size()
                + " possibly accepted twice; " + eventCounts;
    }

    /** Checks the attempts of a message and returns the number of redeliveries after a kill. */
    private int checkAttempts(String id) {
        List<Attempt> all = attempts.getOrDefault(id, List.of());
        int redeliveries = 0;
        for (int i = 1; i < all.size(); i++) {
            redeliveries += all.get(i - 1).failed ? 0 : 1;
            checkRedelivery(id, all.get(i - 1), all.get(i));
        }
        Cancel cancel = cancelled.get(id);
        if (cancel != null && cancel.outcome == CancelOutcome.CANCELLED && !all.isEmpty()) {
            checkCancelled(id, cancel, all.get(all.size() - 1));
        }
        return redeliveries;
    }

    private static int numberOf(String id) {
        return Integer.parseInt(id.substring(1));
    }

    private void checkRedelivery(String id, Attempt earlier, Attempt later) {
        if (possiblyAcceptedTwice.contains(id)) {
            return;
        }
        boolean allowed = earlier.failed
                ? later.startedAt >= earlier.endedAt
                : earlier.wasInterrupted() && later.startedAt >= earlier.consumer.killedAt();
        if (!allowed || later.number < earlier.number || (later.number > earlier.number && !earlier.failed)) {
            violations.add(id + " was redelivered unexpectedly: " + earlier + "; " + later);
        }
    }

    private void checkCancelled(String id, Cancel cancel, Attempt last) {
        if (last.startedAt > cancel.confirmedAt && !possiblyAcceptedTwice.contains(id)) {
            violations.add(id + " started after it was cancelled at " + cancel.confirmedAt + ": " + last);
        }
    }
}
