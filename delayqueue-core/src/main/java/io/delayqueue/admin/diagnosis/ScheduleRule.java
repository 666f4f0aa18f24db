package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.util.function.Function;

/** No occurrence of a schedule has succeeded for two of its periods. */
final class ScheduleRule implements TopicRule {

    private final Function<String, Overdue> overdue;

    /** @param overdue what was found in a topic */
    ScheduleRule(Function<String, Overdue> overdue) {
        this.overdue = overdue;
    }

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        Overdue found = overdue.apply(topic.topic());
        if (found.count() > 0) {
            String first = Printable.of(found.first());
            situation.addTopic(
                    Level.WARNING,
                    Kind.SCHEDULES,
                    topic.topic(),
                    found.count() == 1
                            ? "Schedule " + first + " has not succeeded for two of its periods."
                            : Wording.count(found.count()) + " schedules, such as " + first
                                    + ", have not succeeded for two of their periods.");
        }
    }
}
