package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Attempts;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Most attempts of a topic fail, or most attempts at its messages with one value of the header by which attempts are
 * counted: the failure rate of a minute reaches the limit. It ends below half of the limit, so that
 * a rate near the limit does not flicker.
 */
final class FailureRule implements Rule {

    /** The number of failures within a minute below which a topic is not failing. */
    private static final int FEWEST = 5;

    private final double maxRate;

    FailureRule(double maxRate) {
        this.maxRate = maxRate;
    }

    @Override
    public void check(Situation situation) {
        situation.attempts().forEach((topic, all) -> check(situation, topic, all));
    }

    private void check(Situation situation, String topic, Attempts all) {
        double limit = maxRate / (situation.wasFound(Kind.FAILING, topic) ? 2 : 1);
        Map.Entry<String, Attempts> worst = worst(situation, topic, limit);
        if (fails(all, limit)) {
            String text = Wording.count(all.succeeded()) + " of " + Wording.count(all.all())
                    + " attempts succeeded in the last minute. "
                    + (all.failure() == null
                            ? "The handlers request retries."
                            : "It has been failing for " + Wording.span(all.failing()) + ".");
            if (worst != null && worst.getValue().failed() * 10 >= all.failed() * 9) {
                text += " " + byHeader(worst, all);
            }
            situation.addTopic(Level.CRITICAL, Kind.FAILING, topic, null, text, all.failure());
        } else if (worst != null) {
            situation.addTopic(Level.CRITICAL, Kind.FAILING, topic, null, byHeader(worst, all), all.failure());
        }
    }

    private static boolean fails(Attempts attempts, double limit) {
        return attempts.failed() >= FEWEST && attempts.failed() >= limit * attempts.all();
    }

    /** The value of the header with the most failures, if its attempts fail; null if there is none. */
    private static Map.@Nullable Entry<String, Attempts> worst(Situation situation, String topic, double limit) {
        Map<String, Attempts> values = new TreeMap<>();
        for (NodeListener each : situation.listeners(topic)) {
            each.listener().byHeader().forEach((value, attempts) -> values.merge(value, attempts, Attempts::plus));
        }
        return values.entrySet().stream()
                .filter(each -> fails(each.getValue(), limit))
                .max(Comparator.comparingLong(each -> each.getValue().failed()))
                .orElse(null);
    }

    private static String byHeader(Map.Entry<String, Attempts> value, Attempts all) {
        Attempts of = value.getValue();
        long failed = all.failed() - of.failed();
        long others = all.all() - of.all();
        return "Messages with header " + value.getKey() + " fail: " + Wording.count(of.failed()) + " of "
                + Wording.counted(of.all(), "attempt")
                + (others <= 0
                        ? "."
                        : failed <= 0
                                ? "; all others succeed."
                                : "; of the others, " + Wording.count(failed) + " of " + Wording.count(others) + ".");
    }
}
