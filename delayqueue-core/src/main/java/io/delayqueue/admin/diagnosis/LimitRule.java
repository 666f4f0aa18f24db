package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import java.util.Map;

/** One message holds its topic repeatedly, or nodes declare different limits of a topic. */
final class LimitRule implements TopicRule {

    /** How often in a row a message holds its topic before it is a finding. */
    private static final int HOLDS = 3;

    private final Map<String, TopicLimits> declared;

    /**
     * Creates the rule.
     *
     * @param declared the limits in the properties of this node, by topic
     */
    LimitRule(Map<String, TopicLimits> declared) {
        this.declared = Map.copyOf(declared);
    }

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        LimitStatus limits = topic.limits();
        if (limits == null) {
            return;
        }
        LimitStatus.Hold hold = limits.hold();
        if (hold != null && hold.times() >= HOLDS) {
            situation.addTopic(
                    Level.WARNING,
                    Kind.HELD,
                    topic.topic(),
                    "Message " + Printable.of(hold.by()) + " has held it " + Wording.count(hold.times())
                            + " times in a row. No other message is handled meanwhile.");
        }
        TopicLimits here = declared.get(topic.topic());
        TopicLimits inEffect = limits.declared();
        if (here != null && inEffect != null && !here.equals(inEffect)) {
            situation.addTopic(
                    Level.WARNING,
                    Kind.LIMITS,
                    topic.topic(),
                    "Another node declares other limits: " + inEffect + "; the properties of this node: " + here + ".");
        }
    }
}
