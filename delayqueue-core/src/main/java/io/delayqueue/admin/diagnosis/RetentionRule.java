package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.store.Purge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Retention deletes unreviewed dead letters of a topic soon: by their age or their number. */
final class RetentionRule implements TopicRule {

    private static final Duration LONGEST = Duration.ofDays(1);

    private final Purge.Retention retention;
    /** The time before a deletion from which on it is a finding. */
    private final Duration soon;

    /**
     * Creates the rule.
     *
     * @param retention the limits in the properties of this node
     */
    RetentionRule(Purge.Retention retention) {
        this.retention = retention;
        Duration tenth = retention.maxAge().dividedBy(10);
        this.soon = tenth.compareTo(LONGEST) < 0 ? tenth : LONGEST;
    }

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        Instant oldest = counts.oldestUnreviewed();
        if (oldest == null) {
            return;
        }
        List<String> sentences = new ArrayList<>();
        Instant end = oldest.plus(retention.maxAge());
        Duration left = Duration.between(situation.nodes().at(), end);
        if (left.compareTo(soon) <= 0) {
            sentences.add("Its oldest unreviewed dead letter, of "
                    + Wording.count(counts.unreviewed()) + ", is deleted in "
                    + Wording.span(left.isNegative() ? Duration.ZERO : left) + ", at " + end
                    + ": dead letters are kept for " + Wording.span(retention.maxAge()) + ".");
        }
        if (isNearlyFull(topic, counts)) {
            sentences.add("It has " + Wording.counted(counts.dead(), "dead letter") + ", "
                    + Wording.count(counts.unreviewed()) + " of them unreviewed. Of more than "
                    + Wording.count(retention.maxCount()) + ", the oldest are deleted.");
        }
        if (!sentences.isEmpty()) {
            situation.addTopic(Level.WARNING, Kind.RETENTION, topic.topic(), String.join(" ", sentences));
        }
    }

    /** A shard keeps its part of the maximum. */
    private boolean isNearlyFull(TopicStatus topic, TopicCounts counts) {
        Stream<TopicCounts> shards = topic.shardCounts().isEmpty() ? Stream.of(counts) : topic.shardCounts().stream();
        return shards.anyMatch(
                shard -> shard.unreviewed() > 0 && shard.dead() * topic.shards() >= retention.maxCount() * 0.9);
    }
}
