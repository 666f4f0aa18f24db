package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Attempts;

/**
 * Most attempts of a topic fail: the failure rate of a minute reaches the limit. It ends below half of the limit, so that
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
        if (all.failed() >= FEWEST && all.failed() >= limit * all.all()) {
            String text = Wording.count(all.succeeded()) + " of " + Wording.count(all.all())
                    + " attempts succeeded in the last minute. "
                    + (all.failure() == null
                            ? "The handlers request retries."
                            : "It has been failing for " + Wording.span(all.failing()) + ".");
            situation.addTopic(Level.CRITICAL, Kind.FAILING, topic, null, text, all.failure());
        }
    }
}
