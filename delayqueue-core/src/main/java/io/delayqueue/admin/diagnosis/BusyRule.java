package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;

/** All permits of a topic are used, and many messages wait for a handler; unless the topic is late or has no listener. */
final class BusyRule implements TopicRule {

    /** Listeners claim ahead. A topic is busy if its leased messages exceed this multiple of its permits. */
    private static final int BACKLOG = 4;

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        String name = topic.topic();
        if (situation.usesAllPermits(name)
                && counts.leased() > (long) BACKLOG * situation.permits(name)
                && !situation.isCritical(name, Kind.LATE, Kind.NO_LISTENER)) {
            situation.addTopic(
                    Level.WARNING,
                    Kind.BUSY,
                    name,
                    Wording.messages(counts.leased(), "leased") + ", most of them waiting for a handler. "
                            + situation.busy(name));
        }
    }
}
