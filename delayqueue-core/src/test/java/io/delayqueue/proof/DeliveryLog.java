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
 * Keeps book of what consumer processes tell, and says at the end whether the promises were kept although some of them
 * were killed. All times are of this machine's clock, which is that of Redis too. Thread-safe.
 */
final class DeliveryLog {

    private final Map<String, List<Attempt>> attempts = new HashMap<>();
    private final Map<String, Long> due = new HashMap<>();
    private final Map<String, Cancel> cancelled = new HashMap<>();
    private final Map<String, String> deadLettered = new HashMap<>();
    private final Set<String> acknowledged = new HashSet<>();
    private final Set<String> mayComeAnew = new HashSet<>();
    private final Map<KillableConsumer, Integer> handling = new HashMap<>();
    private final Map<String, Integer> happened = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private long lastDone;
    private String lastDoneId = "";
    private int highestStarted = -1;

    private record Cancel(CancelOutcome outcome, long answeredAt) {}

    /** From the start of a handler on. */
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

        /** Its process was killed before it could tell that the answer had arrived. */
        private boolean wasCutOff() {
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

    /** Before it is sent. */
    synchronized void sent(String id, long dueMillis) {
        due.put(id, dueMillis);
    }

    /** A repeat of the send may have found the first one done already: then it is another message. */
    synchronized void mayComeAnew(Collection<String> ids) {
        mayComeAnew.addAll(ids);
    }

    synchronized void cancelled(String id, CancelOutcome outcome) {
        if (outcome.isCancelled()) {
            cancelled.put(id, new Cancel(outcome, System.currentTimeMillis()));
        }
    }

    /** A line that a consumer wrote: when, what, and of what. */
    synchronized void tell(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        long at = Long.parseLong(words[0]);
        happened.merge(words[1], 1, Integer::sum);
        switch (words[1]) {
            case "started" -> started(consumer, words[2], Integer.parseInt(words[3]), Long.parseLong(words[4]), at);
            case "ended", "failed" -> ended(consumer, words, at);
            case "acknowledged" -> acknowledged(consumer, words, at);
            case "deadLettered" -> {
                done(words[2], at);
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
        // the lines of one consumer may be read later than those of another
        all.sort(Comparator.comparingLong(attempt -> attempt.startedAt));
        long earliest = Math.max(dueMillis, due.getOrDefault(id, Long.MAX_VALUE));
        if (at < earliest) {
            violations.add(id + " was " + (earliest - at) + " ms early");
        }
    }

    private void done(String id, long at) {
        if (at > lastDone) {
            lastDone = at;
            lastDoneId = id;
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
        done(words[2], at);
        Attempt attempt = attempt(consumer, words);
        if (attempt != null) {
            attempt.acknowledged = true;
            if (!acknowledged.add(words[2]) && !mayComeAnew.contains(words[2])) {
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
        violations.add(consumer + " tells of what never started: " + String.join(" ", words));
        return null;
    }

    synchronized boolean isHandling(KillableConsumer consumer) {
        return handling.getOrDefault(consumer, 0) > 0;
    }

    /** Messages that are known to be done. */
    synchronized int done() {
        Set<String> done = new HashSet<>(acknowledged);
        done.addAll(deadLettered.keySet());
        done.addAll(cancelled.keySet());
        return done.size();
    }

    /** The highest number of a message that was ever started. */
    synchronized int highestStarted() {
        return highestStarted;
    }

    /** When the last message was acknowledged or died. */
    synchronized long lastDone() {
        return lastDone;
    }

    /** What became of the message that was done last. */
    synchronized String lastHistory() {
        return lastDoneId + " " + attempts.get(lastDoneId);
    }

    synchronized boolean isCancelled(String id) {
        return cancelled.containsKey(id);
    }

    /** Messages of which neither a consumer, nor a cancel, nor Redis tells the end. */
    synchronized Set<String> open(Set<String> stored, Set<String> deadLetters) {
        Set<String> open = new HashSet<>();
        for (String id : due.keySet()) {
            if (places(id, stored, deadLetters) == 0 && !mayHaveBeenAcknowledged(id)) {
                open.add(id);
            }
        }
        return open;
    }

    private int places(String id, Set<String> stored, Set<String> deadLetters) {
        return (acknowledged.contains(id) ? 1 : 0)
                + (deadLetters.contains(id) ? 1 : 0)
                + (cancelled.containsKey(id) ? 1 : 0)
                + (stored.contains(id) ? 1 : 0);
    }

    /** Its handler ended well, shortly before its process was killed. */
    private boolean mayHaveBeenAcknowledged(String id) {
        List<Attempt> all = attempts.getOrDefault(id, List.of());
        if (all.isEmpty()) {
            return false;
        }
        Attempt last = all.get(all.size() - 1);
        return last.wasCutOff()
                && last.endedAt > 0
                && !last.failed
                && last.consumer.killedAt() - last.endedAt < ConsumerProcess.LEASE.toMillis();
    }

    /**
     * Checks the invariants and tells figures.
     *
     * @param stored ids that are still live in Redis
     * @param deadLetters message ids of the dead letters in Redis
     */
    synchronized String check(Set<String> stored, Set<String> deadLetters) {
        int again = 0;
        int unheard = 0;
        for (String id : due.keySet()) {
            again += checkStarts(id);
            int places = places(id, stored, deadLetters);
            if (places == 0 && mayHaveBeenAcknowledged(id)) {
                unheard++;
            } else if (places != 1 && !(places > 1 && mayComeAnew.contains(id))) {
                violations.add(
                        id + " is acknowledged " + acknowledged.contains(id) + ", dead " + deadLetters.contains(id)
                                + ", cancelled " + cancelled.get(id) + ", stored " + stored.contains(id) + ": "
                                + attempts.get(id));
            }
        }
        deadLetters.stream()
                .filter(id -> !ConsumerProcess.alwaysFails(numberOf(id)))
                .forEach(id -> violations.add(id + " is dead, though attempts were left: " + attempts.get(id)));
        assertThat(violations).isEmpty();
        long spent = deadLettered.values().stream().filter("LEASE_OVER"::equals).count();
        return due.size() + " sent, " + acknowledged.size() + " acknowledged, " + unheard + " perhaps acknowledged, "
                + deadLetters.size() + " dead (" + spent + " by a kill), " + cancelled.size() + " cancelled, "
                + stored.size() + " stored, " + again + " delivered again after a kill, " + mayComeAnew.size()
                + " sent anew; " + happened;
    }

    /** How often it was started again after a kill. */
    private int checkStarts(String id) {
        List<Attempt> all = attempts.getOrDefault(id, List.of());
        int again = 0;
        for (int i = 1; i < all.size(); i++) {
            again += all.get(i - 1).failed ? 0 : 1;
            checkAgain(id, all.get(i - 1), all.get(i));
        }
        Cancel cancel = cancelled.get(id);
        if (cancel != null && cancel.outcome == CancelOutcome.CANCELLED && !all.isEmpty()) {
            checkCancelled(id, cancel, all.get(all.size() - 1));
        }
        return again;
    }

    private static int numberOf(String id) {
        return Integer.parseInt(id.substring(1));
    }

    private void checkAgain(String id, Attempt earlier, Attempt later) {
        if (mayComeAnew.contains(id)) {
            return;
        }
        boolean free = earlier.failed
                ? later.startedAt >= earlier.endedAt
                : earlier.wasCutOff() && later.startedAt >= earlier.consumer.killedAt();
        if (!free || later.number <= earlier.number) {
            violations.add(id + " started again: " + earlier + "; " + later);
        }
    }

    private void checkCancelled(String id, Cancel cancel, Attempt last) {
        if (last.startedAt > cancel.answeredAt && !mayComeAnew.contains(id)) {
            violations.add(id + " started after it was cancelled at " + cancel.answeredAt + ": " + last);
        }
    }
}
