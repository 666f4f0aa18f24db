package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;

/** The counts of a topic could not be read. */
final class UnknownRule implements Rule {

    @Override
    public void check(Situation situation) {
        for (TopicStatus topic : situation.topics()) {
            if (topic.counts() == null) {
                situation.addTopic(
                        Level.CRITICAL, Kind.UNKNOWN, topic.topic(), "Its state is unknown. " + topic.problem());
            }
        }
    }
}
