package io.delayqueue.jdbc.outbox;

import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The topics that were full when the relay last sent to them. Nothing is sent to such a topic until a pause ends; then one
 * message at a time is, until the topic accepts one. The pause doubles as long as the topic accepts none. Used by one thread
 * at a time.
 */
final class FullTopics {

    private static final Log log = LogFactory.getLog(FullTopics.class);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** The most topics that a query excludes. Oracle allows 1000. */
    private static final int MAX_EXCLUDED = 500;

    private final Map<String, Pause> pauses = new HashMap<>();

    /**
     * A time during which nothing is sent to a topic.
     *
     * @param end its end, by the monotonic clock
     * @param since since when the topic is full
     */
    private record Pause(Duration length, long end, long since) {

        static Pause at(long now, Duration length, long since) {
            return new Pause(length, now + length.toNanos(), since);
        }
    }

    /** Begins a batch. */
    Batch batch(long now) {
        return new Batch(now);
    }

    /** What the relay sends and finds out in a batch of rows. */
    final class Batch {

        private final long now;
        private final Set<String> accepting = new HashSet<>();
        /** Topics that were full in this batch, with the reason of a result. */
        private final Map<String, String> full = new HashMap<>();

        private Batch(long now) {
            this.now = now;
        }

        private boolean isPaused(String topic) {
            Pause pause = pauses.get(topic);
            return pause != null && now - pause.end < 0;
        }

        /** Topics whose rows are not to be read. */
        List<String> excluded() {
            return pauses.keySet().stream()
                    .filter(this::isPaused)
                    .sorted()
                    .limit(MAX_EXCLUDED)
                    .toList();
        }

        /** Whether the batch may contain rows that are not sent, because there are too many topics to exclude. */
        boolean mayHoldBack() {
            return pauses.size() > MAX_EXCLUDED;
        }

        /** Whether no message, or no further one, is to be sent to a topic. */
        boolean holdsBack(String topic) {
            return full.containsKey(topic) || isPaused(topic);
        }

        /** Whether one message at a time is to be sent to a topic. */
        boolean tries(String topic) {
            return pauses.containsKey(topic) && !accepting.contains(topic);
        }

        /** Takes the result of a message. */
        void add(String topic, SendResult result) {
            if (JdbcOutbox.isFull(result)) {
                full.put(topic, JdbcOutbox.reason(result));
            } else if (result instanceof Accepted) { // a message that replaces another one needs no room
                accepting.add(topic);
            }
        }

        /**
         * Begins and ends pauses.
         *
         * @return whether a topic was full
         */
        boolean end() {
            full.forEach(this::pause);
            accepting.stream().filter(topic -> !full.containsKey(topic)).forEach(this::resume);
            return !full.isEmpty();
        }

        private void pause(String topic, String reason) {
            Pause before = pauses.get(topic);
            if (before == null) {
                log.warn("Messages of commits to topic " + Printable.of(topic)
                        + " stay in the outbox. It tries again after " + FIRST_PAUSE.toSeconds() + " to "
                        + LONGEST_PAUSE.toSeconds() + " s. " + reason);
            }
            Duration length = before == null || accepting.contains(topic)
                    ? FIRST_PAUSE
                    : before.length.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
                            ? before.length.multipliedBy(2)
                            : LONGEST_PAUSE;
            pauses.put(topic, Pause.at(now, length, before == null ? now : before.since));
        }

        private void resume(String topic) {
            Pause ended = pauses.remove(topic);
            if (ended != null) {
                log.info("The outbox sends messages to topic " + Printable.of(topic) + " again, which was full for "
                        + Duration.ofNanos(now - ended.since).toSeconds() + " s");
            }
        }
    }
}
