package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.message.Counts;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.store.Purge;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules that compare the counts of a topic: due times, growth, shards, retention. */
class TopicRulesTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private Instant clock = NOW;
    private Map<Situation.Key, Instant> before = Map.of();

    private List<Finding> check(Rule rule, TopicStatus topic, long handled, Finding... others) {
        Attempts attempts = new Attempts(handled, 0, 0, Duration.ZERO, null, Duration.ZERO, Duration.ZERO);
        NodeStatus node = new NodeStatus(
                "n1",
                "shop-1",
                42,
                NOW,
                NOW,
                List.of(),
                new TreeMap<>(),
                List.of(ListenerStatusBuilder.listener("l", topic.topic())
                        .handlers(0, 8)
                        .attempts(attempts)
                        .build()));
        Situation situation = new Situation(
                clock, List.of(topic), new Nodes(clock, List.of(node), List.of()), List.of(), List.of(), before);
        for (Finding other : others) {
            situation.addTopic(other.level(), other.kind(), topic.topic(), other.text());
        }
        rule.check(situation);
        before = situation.found();
        return situation.findings().stream()
                .skip(others.length)
                .peek(each -> assertThat(each.level()).isEqualTo(Level.WARNING))
                .toList();
    }

    private List<String> texts(Rule rule, TopicStatus topic) {
        return check(rule, topic, 0).stream().map(Finding::text).toList();
    }

    private static TopicStatus topic(TopicCounts counts, TopicCounts... shards) {
        return TopicStatusBuilder.topic("a").counts(counts).shards(shards).build();
    }

    private static TopicStatus due(long scheduled, Duration median, Duration latest) {
        return topic(new TopicCounts(
                scheduled, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, NOW.plus(latest), NOW.plus(median), null));
    }

    @Test
    void aDelayInAnotherUnitIsFound() {
        Duration usual = Duration.ofMinutes(30);
        assertThat(texts(new DateRule(), due(40, usual, usual.multipliedBy(1000))))
                .containsExactly("Its last message is due in 20 days, at 2026-01-21T20:00:00Z, but half of 40 scheduled"
                        + " messages within 30 min. Was a delay given in another unit?");
    }

    @Test
    void dueTimesOfAUsualRangeAreNoFinding() {
        assertThat(texts(new DateRule(), due(40, DAY, DAY.multipliedBy(499)))).isEmpty();
        assertThat(texts(new DateRule(), due(40, Duration.ZERO, DAY.minusMillis(1))))
                .isEmpty();
        assertThat(texts(new DateRule(), due(9, Duration.ZERO, DAY.multipliedBy(30))))
                .isEmpty();
        assertThat(texts(new DateRule(), topic(TopicCounts.ZERO))).isEmpty();
    }

    @Test
    void aFindingAboutDueTimesDoesNotFlicker() {
        assertThat(texts(new DateRule(), due(40, DAY, DAY.multipliedBy(500)))).hasSize(1);
        assertThat(texts(new DateRule(), due(40, DAY, DAY.multipliedBy(250)))).hasSize(1);
        assertThat(texts(new DateRule(), due(40, DAY, DAY.multipliedBy(249)))).isEmpty();
        assertThat(texts(new DateRule(), due(40, DAY, DAY.multipliedBy(250)))).isEmpty();
    }

    @Test
    void dueTimesOfSchedulesDiffer() {
        TopicCounts usual = due(40, DAY, DAY.multipliedBy(500)).counts();
        TopicCounts counts =
                new TopicCounts(40, 0, 0, 0, 0, 0, 0, 1, Duration.ZERO, usual.latestDue(), usual.medianDue(), null);
        assertThat(texts(new DateRule(), topic(counts))).isEmpty();
    }

    @Test
    void overdueSchedulesAreFound() {
        assertThat(texts(new ScheduleRule(topic -> Overdue.NONE), topic(TopicCounts.ZERO)))
                .isEmpty();
        assertThat(texts(new ScheduleRule(topic -> new Overdue(1, "daily")), topic(TopicCounts.ZERO)))
                .containsExactly("Schedule daily has not succeeded for two of its periods.");
        assertThat(texts(new ScheduleRule(topic -> new Overdue(1200, "user-7")), topic(TopicCounts.ZERO)))
                .containsExactly("1,200 schedules, such as user-7, have not succeeded for two of their periods.");
    }

    private static TopicStatus ready(long scheduled, long ready) {
        return topic(Counts.of(scheduled, ready, 0, 0, 0, 0, Duration.ofSeconds(5)));
    }

    private List<String> grown(long handled, long... ready) {
        GrowthRule rule = new GrowthRule();
        List<Finding> found = List.of();
        for (long count : ready) {
            found = check(rule, ready(0, count), handled);
            clock = clock.plusSeconds(60);
        }
        return found.stream().map(Finding::text).toList();
    }

    @Test
    void readyMessagesThatGrowForTwoMinutesAreFound() {
        assertThat(grown(6_000, 10, 310, 610))
                .containsExactly("Its ready messages have been growing for two minutes: about 6,300 become due in a"
                        + " minute, and 6,000 are handled. 610 messages are ready.");
    }

    @Test
    void aBatchThatBecomesDueAtOnceIsNoGrowth() {
        assertThat(grown(6_000, 0, 100_000, 94_000, 88_000)).isEmpty();
        assertThat(grown(6_000, 0, 100_000)).isEmpty();
    }

    @Test
    void littleGrowthIsChance() {
        assertThat(grown(0, 0, 59, 200)).isEmpty();
        assertThat(grown(10_000, 0, 499, 998)).isEmpty();
        assertThat(grown(10_000, 0, 500, 1_000)).hasSize(1);
    }

    @Test
    void anImportForLaterIsNoGrowth() {
        GrowthRule rule = new GrowthRule();
        for (int minute = 0; minute < 5; minute++) {
            assertThat(check(rule, ready(minute * 100_000L, 5), 100)).isEmpty();
            clock = clock.plusSeconds(60);
        }
    }

    @Test
    void growthEndsWithTheMinuteWithoutIt() {
        assertThat(grown(0, 0, 100, 200)).hasSize(1);
        assertThat(grown(0, 0, 100, 200, 200)).isEmpty();
    }

    @Test
    void growthIsMeasuredAnewAfterAPause() {
        GrowthRule rule = new GrowthRule();
        for (long count : new long[] {0, 1_000, 2_000}) {
            assertThat(check(rule, ready(0, count), 0)).isEmpty();
            clock = clock.plusSeconds(600);
        }
    }

    @Test
    void aLateTopicExplainsItsGrowth() {
        GrowthRule rule = new GrowthRule();
        Finding late = new Finding(Level.CRITICAL, Kind.LATE, "late", null, List.of("a"), null, 1, NOW);
        for (long count : new long[] {0, 1_000, 2_000}) {
            assertThat(check(rule, ready(0, count), 0, late)).isEmpty();
            clock = clock.plusSeconds(60);
        }
    }

    private static TopicCounts shard(long ready, int lagSeconds) {
        return Counts.of(0, ready, 0, 0, 0, 0, Duration.ofSeconds(lagSeconds));
    }

    private static TopicStatus sharded(TopicCounts... shards) {
        return topic(shard(Stream.of(shards).mapToLong(TopicCounts::ready).sum(), 0), shards);
    }

    @Test
    void aHotShardIsFoundWithItsNode() {
        assertThat(texts(new ShardRule(), sharded(shard(10, 1), shard(12_000, 40), shard(30, 1))))
                .containsExactly(
                        "Shard 1 of 3 has 12,000 ready messages, the oldest of which has been waiting for 40 s."
                                + " The 2 other shards have 20 on average, waiting for 1 s. shop-1 polls it.");
        assertThat(texts(new ShardRule(), sharded(shard(1_500, 8), shard(1_400, 1))))
                .containsExactly("Shard 0 of 2 has 1,500 ready messages, the oldest of which has been waiting for 8 s."
                        + " The other shard has 1,400, waiting for 1 s. shop-1 polls it.");
    }

    @Test
    void shardsThatDifferLittleAreNoFinding() {
        assertThat(texts(new ShardRule(), sharded(shard(999, 90), shard(0, 0)))).isEmpty();
        assertThat(texts(new ShardRule(), sharded(shard(4_000, 4), shard(1_000, 1))))
                .isEmpty();
        assertThat(texts(new ShardRule(), sharded(shard(90_000, 90)))).isEmpty();
        assertThat(texts(new ShardRule(), topic(shard(90_000, 90)))).isEmpty();
    }

    @Test
    void aFindingAboutAShardDoesNotFlicker() {
        assertThat(texts(new ShardRule(), sharded(shard(4_001, 1), shard(1_000, 1))))
                .hasSize(1);
        assertThat(texts(new ShardRule(), sharded(shard(2_001, 1), shard(1_000, 1))))
                .hasSize(1);
        assertThat(texts(new ShardRule(), sharded(shard(2_000, 1), shard(1_000, 1))))
                .isEmpty();
    }

    private static RetentionRule kept(Duration maxAge, long maxCount) {
        return new RetentionRule(new Purge.Retention(maxAge, maxCount, 1 << 20));
    }

    private static TopicCounts dead(long dead, long unreviewed, @Nullable Instant oldest) {
        return new TopicCounts(0, 0, 0, 0, 0, dead, unreviewed, 0, Duration.ZERO, null, null, oldest);
    }

    @Test
    void deadLettersThatAgeDeletesSoonAreFound() {
        Instant old = NOW.minus(DAY.multipliedBy(29));
        assertThat(texts(kept(DAY.multipliedBy(30), 1_000), topic(dead(9, 7, old))))
                .containsExactly("Its oldest unreviewed dead letter, of 7, is deleted in 24 h, at 2026-01-02T00:00:00Z:"
                        + " dead letters are kept for 30 days.");
        assertThat(texts(kept(DAY.multipliedBy(30), 1_000), topic(dead(9, 7, old.plusMillis(1)))))
                .isEmpty();
        assertThat(texts(kept(DAY, 1_000), topic(dead(9, 7, NOW.minus(Duration.ofMinutes(1_295))))))
                .isEmpty();
        assertThat(texts(kept(DAY, 1_000), topic(dead(9, 7, NOW.minus(Duration.ofMinutes(1_296))))))
                .hasSize(1);
        assertThat(texts(kept(DAY.multipliedBy(30), 1_000), topic(dead(9, 0, null))))
                .isEmpty();
    }

    @Test
    void deadLettersThatTheNumberDeletesSoonAreFound() {
        assertThat(texts(kept(DAY, 1_000), topic(dead(900, 1, NOW))))
                .containsExactly("It has 900 dead letters, 1 of them unreviewed. Of more than 1,000, the oldest are"
                        + " deleted.");
        assertThat(texts(kept(DAY, 1_000), topic(dead(899, 1, NOW)))).isEmpty();
        assertThat(texts(kept(DAY, 1_000), topic(dead(450, 1, NOW), dead(449, 1, NOW), dead(1, 0, null))))
                .isEmpty();
        assertThat(texts(kept(DAY, 1_000), topic(dead(451, 1, NOW), dead(450, 1, NOW), dead(1, 0, null))))
                .hasSize(1);
    }
}
