package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.message.TopicCounts;

/** A rule about each topic whose counts are known. */
interface TopicRule extends Rule {

    @Override
    default void check(Situation situation) {
        for (TopicStatus topic : situation.topics()) {
            TopicCounts counts = topic.counts();
            if (counts != null) {
                check(situation, topic, counts);
            }
        }
    }

    /** Adds what it finds about a topic. */
    void check(Situation situation, TopicStatus topic, TopicCounts counts);
}
