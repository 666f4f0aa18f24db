package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.time.Instant;

/**
 * A message of a topic is due far later than most others, as if its delay had been given in another unit. Schedules have
 * different periods, so that topics with schedules have no such finding. It ends below
 * half of the factor, so that it does not flicker while other messages come nearer to their due times.
 */
final class DateRule implements TopicRule {

    /** A delay in milliseconds that is taken for seconds is 1,000 times too long. The others are waited for by half, on average. */
    private static final int FACTOR = 500;

    private static final Duration SHORTEST = Duration.ofDays(1);
    /** The smallest number of scheduled messages whose median is a usual due time. */
    private static final int FEWEST = 10;

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        Instant latest = counts.latestDue();
        Instant median = counts.medianDue();
        if (latest == null || median == null || counts.scheduled() < FEWEST || counts.schedules() > 0) {
            return;
        }
        Instant now = situation.nodes().at();
        Duration longest = Duration.between(now, latest);
        Duration usual = Duration.between(now, median);
        int factor = situation.wasFound(Kind.DATES, topic.topic()) ? FACTOR / 2 : FACTOR;
        if (longest.compareTo(SHORTEST) >= 0 && longest.compareTo(usual.multipliedBy(factor)) >= 0) {
            situation.addTopic(
                    Level.WARNING,
                    Kind.DATES,
                    topic.topic(),
                    "Its last message is due in " + Wording.span(longest) + ", at " + latest + ", but half of "
                            + Wording.counted(counts.scheduled(), "scheduled message") + " within "
                            + Wording.span(usual.isNegative() ? Duration.ZERO : usual)
                            + ". Was a delay given in another unit?");
        }
    }
}
