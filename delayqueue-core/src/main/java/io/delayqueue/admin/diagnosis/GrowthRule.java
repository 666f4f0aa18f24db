package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The ready messages of a topic grow for two minutes, because more become due than are handled. A batch that becomes due at
 * once grows for a moment only. A topic that is late, or that no node listens to, has a critical finding instead.
 */
final class GrowthRule implements Rule {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    /** A diagnosis after a longer pause begins anew. */
    private static final Duration LONGEST = Duration.ofMinutes(3);
    /** The least growth in a minute. */
    private static final int FEWEST = 60;
    /** The smallest growth in a minute that is no chance, as a share of the handled messages. */
    private static final double SHARE = 0.05;

    private Map<String, Windows> topics = Map.of();

    /**
     * The ready messages of a topic at the begin of a window, and how they grew in the windows before.
     *
     * @param growth by how many a minute they grew in the last window; 0 if not by enough
     * @param before the same of the window before
     */
    private record Windows(Instant at, long ready, double growth, double before) {

        Windows next(Instant now, long readyNow, long handled) {
            Duration time = Duration.between(at, now);
            if (time.compareTo(WINDOW) < 0) {
                return this;
            }
            if (time.compareTo(LONGEST) > 0) {
                return new Windows(now, readyNow, 0, 0);
            }
            double perMinute = (readyNow - ready) * 60_000d / time.toMillis();
            boolean enough = perMinute >= FEWEST && perMinute >= SHARE * handled;
            return new Windows(now, readyNow, enough ? perMinute : 0, growth);
        }
    }

    @Override
    public void check(Situation situation) {
        Map<String, Windows> found = new HashMap<>();
        for (TopicStatus topic : situation.topics()) {
            TopicCounts counts = topic.counts();
            if (counts != null) {
                found.put(topic.topic(), check(situation, topic.topic(), counts));
            }
        }
        topics = found;
    }

    private Windows check(Situation situation, String topic, TopicCounts counts) {
        Attempts attempts = situation.attempts().getOrDefault(topic, Attempts.NONE);
        Windows known = topics.get(topic);
        Windows windows = known == null
                ? new Windows(situation.now(), counts.ready(), 0, 0)
                : known.next(situation.now(), counts.ready(), attempts.all());
        if (windows.growth() > 0
                && windows.before() > 0
                && counts.ready() > 0
                && !situation.isCritical(topic, Kind.LATE, Kind.NO_LISTENER)) {
            long growth = Math.round(windows.growth());
            situation.addTopic(
                    Level.WARNING,
                    Kind.GROWTH,
                    topic,
                    "Its ready messages have been growing for two minutes: about "
                            + Wording.count(growth + attempts.all()) + " become due in a minute, and "
                            + Wording.count(attempts.all()) + " are handled. "
                            + Wording.messages(counts.ready(), "ready") + ".");
        }
        return windows;
    }
}
