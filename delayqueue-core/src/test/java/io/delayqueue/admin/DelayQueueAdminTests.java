package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.admin.LimitStatus.HeldBackBy;
import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.RedisTest;
import io.delayqueue.template.SendLimits;
import io.delayqueue.testing.ShardLimits;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DelayQueueAdminTests extends RedisTest {

    private static final Shard SHARD = Shard.single("orders");

    private NodeDirectory directory;
    private DelayQueueAdmin admin;
    private DelayQueueTemplate template;

    @BeforeEach
    void assemble() {
        template = queue.template();
        directory = new NodeDirectory(queue.scripts, queue.keySpace, Duration.ofSeconds(15));
        admin = admin(queue.events);
    }

    private DelayQueueAdmin admin(EventBus events) {
        return new DelayQueueAdmin(
                queue.store,
                queue.topics,
                events,
                SendLimits.DEFAULTS,
                InstantSource.system(),
                new TopicDeletion(queue.scripts, queue.keySpace, queue.topics),
                directory,
                new TopicLimiter(queue.scripts, queue.keySpace, queue.topics));
    }

    private void send(String... ids) {
        template.sendAll(IntStream.range(0, ids.length)
                .mapToObj(i -> DelayMessage.to("orders")
                        .id(ids[i])
                        .payload("p" + ids[i])
                        .build())
                .toList());
    }

    /** Dead-letters messages, each in a later millisecond than the one before. */
    private void toDeadLetters(String... ids) {
        for (String id : ids) {
            send(id);
            queue.deadLetterAll("orders", i -> "no use");
            long millis = SystemClock.millis();
            while (SystemClock.millis() == millis) {
                Thread.onSpinWait();
            }
        }
    }

    private String deadLetterOf(String id) {
        return admin.deadLetters("orders", 500).deadLetters().stream()
                .filter(deadLetter -> deadLetter.messageId().equals(id))
                .map(DeadLetter::deadLetterId)
                .findFirst()
                .orElseThrow();
    }

    private List<String> dead() {
        return admin.deadLetters("orders", 500).deadLetters().stream()
                .map(DeadLetter::messageId)
                .toList();
    }

    @Test
    void countsSayWhatStandsWhere() {
        assertThat(admin.counts("orders")).isEqualTo(TopicCounts.ZERO);
        toDeadLetters("dead");
        send("leased");
        queue.claim("orders");
        send("ready");
        template.send(DelayMessage.to("orders")
                .id("scheduled")
                .payload("p")
                .delay(Duration.ofHours(1))
                .build());

        TopicCounts counts = admin.counts("orders");

        assertThat(counts).extracting(TopicCounts::scheduled).isEqualTo(1L);
        assertThat(counts).extracting(TopicCounts::ready).isEqualTo(1L);
        assertThat(counts).extracting(TopicCounts::leased).isEqualTo(1L);
        assertThat(counts).extracting(TopicCounts::dead).isEqualTo(1L);
    }

    @Test
    void pagesGoFromTheYoungestToTheOldestAndEnd() {
        toDeadLetters("a", "b", "c", "d", "e");

        DeadLetterPage first = admin.deadLetters("orders", 2);
        DeadLetterPage second = admin.deadLetters("orders", 2, first.next());
        DeadLetterPage third = admin.deadLetters("orders", 2, second.next());

        assertThat(first.deadLetters()).extracting(DeadLetter::messageId).containsExactly("e", "d");
        assertThat(second.deadLetters()).extracting(DeadLetter::messageId).containsExactly("c", "b");
        assertThat(third.deadLetters()).extracting(DeadLetter::messageId).containsExactly("a");
        assertThat(third.next()).isNull();
    }

    @Test
    void aPageThatEndsAtItsBytesIsNotTheLast() {
        for (String id : List.of("a", "b", "c")) {
            template.send(
                    DelayMessage.to("orders").id(id).payload(new byte[900_000]).build());
            queue.deadLetterAll("orders", i -> "no use");
        }

        DeadLetterPage first = admin.deadLetters("orders", 10);

        assertThat(first.deadLetters()).hasSize(2);
        assertThat(admin.deadLetters("orders", 10, first.next()).deadLetters()).hasSize(1);
    }

    @Test
    void aReplayBeyondTheLongestDelayIsRejectedAndTheDeadLetterStays() {
        toDeadLetters("a");

        assertThatThrownBy(() -> admin.replay("orders", deadLetterOf("a"), Duration.ofDays(5_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delayqueue.limits.max-delay");
        assertThatThrownBy(() -> admin.replay("orders", deadLetterOf("a"), Instant.parse("2999-01-01T00:00:00Z")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delayqueue.limits.max-delay");
        assertThatThrownBy(() -> admin.replay("orders", deadLetterOf("a"), Instant.EPOCH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("dueAt must be between 2000 and 9999");
        assertThat(dead()).containsExactly("a");
    }

    @Test
    void aReplayedDeadLetterIsScheduledAgain() {
        toDeadLetters("a", "b", "c");

        assertThat(admin.replay("orders", deadLetterOf("a"))).isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(admin.replay("orders", deadLetterOf("b"), Duration.ofHours(1)))
                .isEqualTo(ReplayOutcome.REPLAYED);
        Instant date = Instant.parse("2035-01-01T00:00:00Z");
        assertThat(admin.replay("orders", deadLetterOf("c"), date)).isEqualTo(ReplayOutcome.REPLAYED);

        assertThat(template.find("orders", "a").orElseThrow().state()).isEqualTo(MessageState.READY);
        assertThat(template.find("orders", "b").orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(template.find("orders", "c").orElseThrow().dueAt()).isEqualTo(date);
        assertThat(dead()).isEmpty();
        assertThat(queue.recorded.lines()).anyMatch(line -> line.startsWith("replayed orders a@"));
    }

    @Test
    void aDeadLetterThatNobodyCanReadHidesNoOtherAndStays() {
        toDeadLetters("a", "b", "c", "d");
        String unreadable = deadLetterOf("c");
        String deadLetters = new String(queue.keySpace.of(SHARD).deadLetters(), UTF_8);
        server.command("HSET", deadLetters, unreadable, "2 what a later version writes");

        List<String> paged = new ArrayList<>();
        String next = null;
        do {
            DeadLetterPage page = admin.deadLetters("orders", 1, next);
            page.deadLetters().forEach(deadLetter -> paged.add(deadLetter.messageId()));
            next = page.next();
        } while (next != null);

        assertThat(paged).containsExactly("d", "c", "b", "a");
        assertThat(admin.replay("orders", unreadable)).isEqualTo(ReplayOutcome.UNREADABLE);
        assertThat(admin.purge("orders", unreadable)).isTrue();
    }

    @Test
    void aTopicThatHoldsNothingIsDeletedWithItsPause() {
        assertThat(admin.deleteTopic("orders")).isFalse();
        send("a");
        admin.pauseTopic("orders");
        assertThatThrownBy(() -> admin.deleteTopic("orders"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Topic orders cannot be deleted: it holds 1 message and 0 dead letters");
        queue.deadLetterAll("orders", i -> "no use");
        assertThatThrownBy(() -> admin.deleteTopic("orders"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0 messages and 1 dead letter.");
        assertThat(directory.read().pauses()).containsOnlyKeys("orders");
        assertThat(admin.purge("orders", deadLetterOf("a"))).isTrue();
        assertThat(admin.deleteTopic("orders")).isTrue();
        assertThat(queue.topics.topics().join()).isEmpty();
        assertThat(directory.read().pauses()).isEmpty();
        assertThat(admin.deleteTopic("orders")).isFalse();
        send("a");
        assertThat(admin.counts("orders").ready()).isEqualTo(1);
    }

    @Test
    void listenersAndNodesArePausedIfTheyAreKnown() {
        ListenerStatus listener = ListenerStatusBuilder.listener("worker", "orders")
                .kind(QueueKind.NOTIFICATIONS)
                .build();
        new Membership(
                        queue.scripts,
                        queue.keySpace,
                        "n1",
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(15),
                        System::nanoTime,
                        () -> new NodeReport("host", 1, Instant.EPOCH, List.of(listener), null),
                        () -> {})
                .run();

        assertThat(admin.pause("orders", "worker", "n1", "alice")).isTrue();
        assertThat(admin.pause("orders", "worker", null, "alice")).isTrue();
        assertThat(admin.pause("orders", null, "n1", "alice")).isTrue();
        assertThat(admin.pause("orders", null, "n1", "bob")).isFalse();
        assertThat(admin.pause("not yet used", null, null, "")).isTrue();
        assertThat(directory.read().pauses("orders"))
                .hasSize(3)
                .extracting(Pause::by)
                .containsOnly("alice");

        assertThatThrownBy(() -> admin.pause("orders", "wroker", null, ""))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("No live node has started a listener 'wroker' of topic 'orders'.");
        assertThatThrownBy(() -> admin.pause("other", "worker", "n1", ""))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("Node 'n1' has not started a listener 'worker' of topic 'other'.");
        assertThatThrownBy(() -> admin.pause("orders", null, "n2", ""))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("There is no live node 'n2'.");
        assertThat(admin.resume("orders", null, null)).isFalse();
        assertThat(admin.resume("orders", "worker", null)).isTrue();
        assertThat(admin.deleteTopic("orders")).isFalse();
        assertThat(directory.read().pauses()).containsOnlyKeys("not yet used");
    }

    @Test
    void repeatedDeletionEndsThePauseThatAnInterruptedOneLeft() {
        send("a");
        admin.pauseTopic("orders");
        template.cancel("orders", "a");
        assertThat(new TopicDeletion(queue.scripts, queue.keySpace, queue.topics).delete("orders"))
                .isTrue();

        assertThat(admin.deleteTopic("orders")).isFalse();

        assertThat(directory.read().pauses()).isEmpty();
    }

    @Test
    void aTopicThatNobodyUsesIsEmptyAndNothingIsKeptOfIt() {
        assertThat(admin.counts("mistyped")).isEqualTo(TopicCounts.ZERO);
        assertThat(admin.deadLetters("mistyped", 10)).isEqualTo(new DeadLetterPage(List.of(), null));
        assertThat(admin.deadLetter("mistyped", "a@b")).isEmpty();
        assertThat(admin.replay("mistyped", "a@b")).isEqualTo(ReplayOutcome.NOT_FOUND);
        assertThat(admin.purge("mistyped", "a@b")).isFalse();
        assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void failuresAreTold() {
        queue.proxy.refuse();

        assertThatThrownBy(() -> admin.counts("orders"))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("Counting topic orders");
        assertThatThrownBy(() -> admin.replay("orders", "a@b")).isInstanceOf(DelayQueueException.class);
        assertThatThrownBy(() -> admin.pauseTopic("orders")).hasMessageContaining("Pausing topic orders");
        assertThatThrownBy(() -> admin.resumeTopic("orders")).hasMessageContaining("Resuming topic orders");
        assertThatThrownBy(() -> admin.limits("orders")).hasMessageContaining("Reading the limits of topic orders");
        assertThatThrownBy(() -> admin.limit("orders", TopicLimits.NONE)).hasMessageContaining("Limiting topic orders");
        assertThatThrownBy(() -> admin.clearLimits("orders")).isInstanceOf(DelayQueueUnavailableException.class);
        assertThatThrownBy(() -> admin.liftHold("orders")).hasMessageContaining("Lifting the hold of topic orders");
        assertThatThrownBy(() -> admin.deleteTopic("orders"))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("Deleting topic orders");
    }

    @Test
    void limitsAreSetAndCleared() {
        assertThat(admin.limits("orders").effective()).isEqualTo(TopicLimits.NONE);
        TopicLimits limits = new TopicLimits(1, null, 2L);
        admin.limit("orders", limits);
        send("a");
        queue.claim("orders");
        send("b");

        LimitStatus status = admin.limits("orders");

        assertThat(status.set()).isEqualTo(limits);
        assertThat(status.declared()).isNull();
        assertThat(status.effective()).isEqualTo(limits);
        assertThat(status.used()).isEqualTo(1);
        assertThat(status.full()).isTrue();
        assertThat(status.heldBackBy()).isEqualTo(HeldBackBy.CONCURRENCY);
        assertThat(status.heldBackSince()).isNotNull();
        admin.clearLimits("orders");
        assertThat(admin.limits("orders").set()).isNull();
        assertThat(admin.limits("orders").heldBackBy()).isNull();
    }

    @Test
    void limitsDoNotHoldBackMessagesThatWaitForTheirKeys() {
        new TopicRegistry(
                        queue.scripts,
                        queue.keySpace,
                        new ShardPlan(Map.of(), Map.of("orders", Keys.ORDERED), ShardPlan.OnConflict.FAIL))
                .shards("orders")
                .join();
        admin.limit("orders", new TopicLimits(1, null, null));
        sendWithKeys("a", "a");
        queue.claim(new Shard("orders", 0, 1, Keys.ORDERED, QueueKind.MESSAGES));

        assertThat(admin.counts("orders").parked()).isEqualTo(1);
        assertThat(admin.limits("orders").heldBackBy()).isNull();
        sendWithKeys("b");
        assertThat(admin.limits("orders").heldBackBy()).isEqualTo(HeldBackBy.CONCURRENCY);
    }

    private void sendWithKeys(String... keys) {
        for (String key : keys) {
            template.send(DelayMessage.to("orders").key(key).payload("p").build());
        }
    }

    @Test
    void declaredLimitsAreCleared() {
        TopicLimiter limiter = new TopicLimiter(queue.scripts, queue.keySpace, queue.topics);
        limiter.declare("orders", new TopicLimits(1, null, null)).join();
        admin.clearLimits("orders");
        assertThat(admin.limits("orders").declared()).isNotNull();
        admin.clearDeclaredLimits("orders");
        assertThat(admin.limits("orders").declared()).isNull();
    }

    @Test
    void aHoldIsShownAndLifted() {
        send("a");
        assertThat(admin.liftHold("orders")).isFalse();
        String until = SystemClock.millis() + Duration.ofHours(1).toMillis() + " 3 a";
        server.command(ShardLimits.command("dq:{orders:0.0}:meta", "0 0 0 0"));
        server.command("HSET", "dq:{orders:0.0}:meta", "hold", until);

        LimitStatus status = admin.limits("orders");

        assertThat(status.heldBackBy()).isEqualTo(HeldBackBy.HOLD);
        assertThat(status.hold()).isNotNull();
        assertThat(status.hold().by()).isEqualTo("a");
        assertThat(status.hold().times()).isEqualTo(3);
        assertThat(status.reopensAt()).isEqualTo(status.hold().until());
        assertThat(admin.liftHold("orders")).isTrue();
        assertThat(admin.limits("orders").hold()).isNull();
    }

    @Test
    void aTopicWithSeveralShardsIsNotLimited() {
        server.command("HSET", "dq:topics", "wide", "4:17");
        assertThatThrownBy(() -> admin.limit("wide", new TopicLimits(1, null, null)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("4 shards");
        assertThat(admin.limits("wide").effective()).isEqualTo(TopicLimits.NONE);
    }

    @Test
    void argumentsAreChecked() {
        assertThatThrownBy(() -> admin.deadLetters("orders", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.deadLetters("orders", 501)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.deadLetters("orders", 1, "nonsense"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.counts(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.replay("orders", "a@b", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void reviewedDeadLettersStayAndAreNotCountedAsUnreviewed() {
        toDeadLetters("a", "b");
        assertThat(admin.counts("orders").unreviewed()).isEqualTo(2);
        admin.markReviewed("orders");
        assertThat(admin.counts("orders").unreviewed()).isZero();
        assertThat(admin.counts("orders").dead()).isEqualTo(2);
        toDeadLetters("c");
        assertThat(admin.counts("orders").unreviewed()).isEqualTo(1);
        assertThat(admin.purge("orders", deadLetterOf("c"))).isTrue();
        assertThat(admin.counts("orders").unreviewed()).isZero();
        admin.markReviewed("nothing");
        assertThat(queue.topics.topics().join()).containsExactly("orders");
    }
}
