package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;

/** A topic has dead letters that are not reviewed. */
final class DeadLetterRule implements TopicRule {

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        if (counts.unreviewed() > 0) {
            String all = "It has " + Wording.counted(counts.dead(), "dead letter") + ".";
            situation.addTopic(
                    Level.WARNING,
                    Kind.DEAD_LETTERS,
                    topic.topic(),
                    counts.unreviewed() < counts.dead()
                            ? all + " New since the last review: " + Wording.count(counts.unreviewed()) + "."
                            : all);
        }
    }
}
