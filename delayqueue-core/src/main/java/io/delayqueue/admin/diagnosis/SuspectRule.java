package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;

/** Messages of a topic are handled in isolation. */
final class SuspectRule implements TopicRule {

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        if (counts.suspects() > 0) {
            situation.addTopic(
                    Level.WARNING,
                    Kind.SUSPECTS,
                    topic.topic(),
                    Wording.messages(counts.suspects(), "waiting to be handled in isolation")
                            + ", because leases ended repeatedly without a settlement.");
        }
    }
}
