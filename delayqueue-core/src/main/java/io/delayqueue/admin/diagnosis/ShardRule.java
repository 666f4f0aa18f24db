package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.util.List;

/**
 * One shard of a topic has far more ready messages than the others, or they have been waiting far longer. It ends below
 * half of the factor.
 */
final class ShardRule implements TopicRule {

    /** How far a shard exceeds the mean of the others. */
    private static final int FACTOR = 4;

    private static final int FEWEST = 1000;
    /** Lags below a second differ by chance. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        List<TopicCounts> shards = topic.shardCounts();
        int factor = situation.wasFound(Kind.SHARDS, topic.topic()) ? FACTOR / 2 : FACTOR;
        int others = shards.size() - 1;
        int hottest = -1;
        for (int i = 0; i <= others && others > 0; i++) {
            TopicCounts shard = shards.get(i);
            long ready = counts.ready() - shard.ready();
            if (shard.ready() >= FEWEST
                    && (shard.ready() * others > factor * ready || isLate(shards, i, factor))
                    && (hottest < 0 || shard.ready() > shards.get(hottest).ready())) {
                hottest = i;
            }
        }
        if (hottest >= 0) {
            situation.addTopic(Level.WARNING, Kind.SHARDS, topic.topic(), text(situation, topic, counts, hottest));
        }
    }

    private static boolean isLate(List<TopicCounts> shards, int index, int factor) {
        Duration lag = shards.get(index).lag();
        Duration others = meanLag(shards, index);
        return lag.compareTo(SHORTEST) >= 0 && lag.compareTo(others.multipliedBy(factor)) > 0;
    }

    private static Duration meanLag(List<TopicCounts> shards, int without) {
        Duration all = shards.stream().map(TopicCounts::lag).reduce(Duration.ZERO, Duration::plus);
        return all.minus(shards.get(without).lag()).dividedBy(shards.size() - 1);
    }

    private static String text(Situation situation, TopicStatus topic, TopicCounts counts, int index) {
        TopicCounts hot = topic.shardCounts().get(index);
        int others = topic.shardCounts().size() - 1;
        String polledBy = index < topic.assignedNodes().size()
                ? " " + host(situation, topic.assignedNodes().get(index)) + " polls it."
                : "";
        return "Shard " + index + " of " + topic.shards() + " has "
                + Wording.counted(hot.ready(), "ready message") + ", the oldest of which has been waiting for "
                + Wording.span(hot.lag()) + ". "
                + (others == 1 ? "The other shard has " : "The " + others + " other shards have ")
                + Wording.count((counts.ready() - hot.ready()) / others)
                + (others == 1 ? "" : " on average") + ", waiting for "
                + Wording.span(meanLag(topic.shardCounts(), index)) + "." + polledBy;
    }

    private static String host(Situation situation, String name) {
        return situation.nodes().live().stream()
                .filter(node -> node.node().equals(name))
                .findFirst()
                .map(node -> Wording.host(node.host(), node.node()))
                .orElse(Wording.host("", name));
    }
}
