package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.QueueOnRedis;
import io.delayqueue.template.RedisTest;
import io.delayqueue.testing.SystemClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelayQueueInspectorTests extends RedisTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private DelayQueueInspector inspector;
    private DelayQueueTemplate template;
    private NodeDirectory directory;

    @BeforeEach
    void assemble() {
        template = queue.template();
        directory = new NodeDirectory(queue.scripts, queue.keySpace, TIMEOUT);
        inspector = new DelayQueueInspector(
                queue.store, new ShardReader(queue.scripts, queue.keySpace, queue.topics), queue.topics, directory);
    }

    private void send(String topic, String id, Duration delay) {
        template.send(
                DelayMessage.to(topic).id(id).payload("p" + id).delay(delay).build());
    }

    private Membership node(String name) {
        return new Membership(
                queue.scripts,
                queue.keySpace,
                name,
                Duration.ofSeconds(5),
                TIMEOUT,
                System::nanoTime,
                () -> NodeReport.UNKNOWN,
                () -> {});
    }

    private List<String> read(MessageView view, int count) {
        List<String> ids = new ArrayList<>();
        String page = null;
        do {
            MessagePage read = inspector.messages("orders", view, count, page);
            ids.addAll(read.messages().stream().map(MessageSnapshot::id).toList());
            page = read.next();
        } while (page != null);
        return ids;
    }

    @Test
    void anEmptyQueueHasNothingToShowAndStaysEmpty() {
        assertThat(inspector.topics()).isEmpty();
        assertThat(inspector.topic("orders")).isEmpty();
        assertThat(inspector.nodes().live()).isEmpty();
        assertThat(inspector.nodes().former()).isEmpty();
        assertThat(inspector.messages("orders", MessageView.READY, 1, null))
                .isEqualTo(new MessagePage(List.of(), null));
        assertThat(inspector.slowestKeys("orders")).isEmpty();
        long before = SystemClock.millis();
        Upcoming upcoming = inspector.upcoming("orders", Duration.ofMinutes(1), 3);
        assertThat(upcoming.counts()).containsExactly(0L, 0L, 0L);
        assertThat(upcoming.from().toEpochMilli()).isBetween(before, SystemClock.millis());
        assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void topicsAreThereByNameWithWhatStandsWhereAndWhoConsumesThem() {
        send("orders", "a", Duration.ZERO);
        send("orders", "b", Duration.ofHours(1));
        send("mistyped", "c", Duration.ZERO);
        Membership one = node("one");
        one.join(Shard.single("orders"), () -> {});
        one.run();
        Membership two = node("two");
        two.addConsumer(Shard.single("orders"));
        two.addConsumer(Shard.single("mistyped").notifications());
        two.run();
        directory.pause("orders", null, null, "");

        List<TopicStatus> topics = inspector.topics();

        assertThat(topics).extracting(TopicStatus::topic).containsExactly("mistyped", "orders");
        assertThat(topics).extracting(TopicStatus::shards).containsOnly(1);
        assertThat(topics).extracting(TopicStatus::consumers).containsExactly(List.of(), List.of("one", "two"));
        assertThat(topics).extracting(TopicStatus::assignedNodes).containsExactly(List.of(), List.of("one"));
        assertThat(topics).extracting(TopicStatus::paused).containsExactly(false, true);
        assertThat(topics.get(1).counts().ready()).isEqualTo(1);
        assertThat(topics.get(1).counts().scheduled()).isEqualTo(1);
        assertThat(inspector.topic("orders").orElseThrow().consumers()).containsExactly("one", "two");
        assertThat(inspector.nodes().live())
                .extracting(node -> node.node() + node.topics())
                .containsExactly("one[orders]", "two[mistyped, orders]");
        assertThat(inspector.nodes().live())
                .extracting(node -> node.assignedShards().toString())
                .containsExactly("{orders=[0]}", "{}");
    }

    @Test
    void messagesAreFoundByTheirIdInAllTopics() {
        send("orders", "a", Duration.ZERO);
        send("returns", "a", Duration.ofHours(1));
        send("others", "b", Duration.ZERO);
        assertThat(inspector.find("a"))
                .extracting(MessageSnapshot::topic, MessageSnapshot::state)
                .containsExactly(tuple("orders", MessageState.READY), tuple("returns", MessageState.SCHEDULED));
        assertThat(inspector.find("c")).isEmpty();
        assertThatThrownBy(() -> inspector.find("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void topicsCostARoundTripForTheRegistryOneForTheNodesAndOneForEachShard() {
        for (int i = 0; i < 5; i++) {
            send("topic" + i, "a", Duration.ZERO);
        }
        queue.topics.topics().join();
        inspector.topics();
        queue.proxy.traffic().reset();
        inspector.topics();
        assertThat(queue.proxy.traffic().requests()).isEqualTo(2 + 5);
    }

    @Test
    void shardsAreReadSideBySide() {
        for (int i = 0; i < 5; i++) {
            send("topic" + i, "a", Duration.ZERO);
        }
        int before = queue.calls();
        CompletableFuture<Void> replies = queue.faults.holdReplies("count");
        CompletableFuture<List<TopicStatus>> topics = CompletableFuture.supplyAsync(inspector::topics);
        await().until(() -> queue.calls() - before == 2 + 5);
        replies.complete(null);
        assertThat(topics.join()).hasSize(5);
    }

    @Test
    void topicsAreReadInPages() {
        List<String> names = List.of("a", "a b", "a/b", "b", "é😀");
        names.forEach(name -> send(name, "1", Duration.ZERO));
        server.command("HSET", "dq:topics", "aa", "what");
        List<String> read = new ArrayList<>();
        String after = null;
        do {
            TopicPage page = inspector.topics(2, after);
            assertThat(page.topics())
                    .hasSizeLessThanOrEqualTo(2)
                    .allSatisfy(topic -> assertThat(topic.counts().ready()).isEqualTo(1));
            read.addAll(page.topics().stream().map(TopicStatus::topic).toList());
            after = page.next();
        } while (after != null);
        assertThat(read).isEqualTo(names);
        assertThat(inspector.topics(names.size(), null).next()).isNull();
        assertThat(inspector.topics(1, "b").topics())
                .extracting(TopicStatus::topic)
                .containsExactly("é😀");
        assertThatThrownBy(() -> inspector.topics(0, null)).hasMessageContaining("1 to 500");
        assertThatThrownBy(() -> inspector.topics(501, null)).hasMessageContaining("1 to 500");
    }

    @Test
    void aTopicThatThisVersionCannotReadIsLeftOut() {
        send("orders", "a", Duration.ZERO);
        server.command("HSET", "dq:topics", "of tomorrow", "1025:17");
        server.command("HSET", "dq:topics", "of nobody", "what");
        assertThat(inspector.topics()).extracting(TopicStatus::topic).containsExactly("orders");
        assertThatThrownBy(() -> inspector.topic("of tomorrow"))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("registered as 1025:17");
    }

    @Test
    void aTopicThatDoesNotTellItsStateIsThereWithTheReasonAndHidesNoOther() {
        send("orders", "a", Duration.ofHours(1));
        send("broken", "a", Duration.ofHours(1));
        Membership one = node("one");
        one.join(Shard.single("broken"), () -> {});
        one.run();
        String schedule = new String(queue.keySpace.of(Shard.single("broken")).schedule(), StandardCharsets.UTF_8);
        server.command("SET", schedule, "of another type");

        List<TopicStatus> topics = inspector.topics();

        assertThat(topics).extracting(TopicStatus::topic).containsExactly("broken", "orders");
        TopicStatus broken = topics.get(0);
        assertThat(broken.counts()).isNull();
        assertThat(broken.problem())
                .startsWith("Redis rejected the script count")
                .contains("WRONGTYPE");
        assertThat(broken.consumers()).containsExactly("one");
        assertThat(broken.assignedNodes()).containsExactly("one");
        assertThat(topics.get(1).problem()).isNull();
        assertThat(topics.get(1).counts()).extracting(TopicCounts::scheduled).isEqualTo(1L);
        assertThatThrownBy(() -> inspector.topic("broken"))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> inspector.lag("broken").join()).hasCauseInstanceOf(RedisCallException.class);
        assertThat(inspector.lag("orders").join()).isZero();
    }

    @Test
    void aTopicThatWasRegisteredAnewMeanwhileIsCountedAsItIs() {
        send("orders", "a", Duration.ofHours(1));
        inspector.topics();
        server.flush();
        QueueOnRedis others = new QueueOnRedis(server, new ShardPlan(Map.of("orders", 3), OnConflict.FAIL));
        try (others) {
            others.template()
                    .send(DelayMessage.to("orders")
                            .payload("p")
                            .delay(Duration.ofHours(1))
                            .build());
            assertThat(inspector.lag("orders").join()).isZero();
            TopicStatus orders = inspector.topic("orders").orElseThrow();
            assertThat(orders.shards()).isEqualTo(3);
            assertThat(orders.counts()).extracting(TopicCounts::scheduled).isEqualTo(1L);
        }
    }

    @Test
    void messagesAreReadInPagesOfAnyIds() {
        List<String> ids =
                IntStream.range(0, 7).mapToObj(i -> "order/" + i + " é€😀 ?&#").toList();
        ids.forEach(id -> send("orders", id, Duration.ofHours(1)));
        assertThat(read(MessageView.SCHEDULED, 3)).isEqualTo(ids);
        assertThat(read(MessageView.SCHEDULED, 7)).isEqualTo(ids);
        assertThat(inspector.messages("orders", MessageView.SCHEDULED, 3, null).next())
                .matches("[A-Za-z0-9._-]+");
        assertThat(read(MessageView.READY, 3)).isEmpty();
        template.reschedule("orders", ids.get(4), Duration.ZERO);
        assertThat(read(MessageView.READY, 3)).containsExactly(ids.get(4));
        Polls.poll(
                queue.store, Shard.single("orders"), Polls.by("w1", 1).claim(1).build());
        assertThat(read(MessageView.LEASED, 3)).containsExactly(ids.get(4));
        assertThat(read(MessageView.SCHEDULED, 1)).hasSize(6).doesNotContain(ids.get(4));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "S", "S.1", "S..", "S.1.*", "S.zzzzzzzzzzzzz.aa", "S.1.a", "R.1.aa", "X.1.aa", "S.1.aa\n"})
    void whatIsNoPageOfTheViewIsRejected(String page) {
        assertThatThrownBy(() -> inspector.messages("orders", MessageView.SCHEDULED, 1, page))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SCHEDULED");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 501})
    void aPageOfSoManyIsRejected(int count) {
        assertThatThrownBy(() -> inspector.messages("orders", MessageView.READY, count, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 500");
    }

    @Test
    void upcomingOfImpossibleRangesIsRejected() {
        assertRejected(Duration.ofMinutes(1), 0, "1 to 120");
        assertRejected(Duration.ofMinutes(1), 121, "1 to 120");
        assertRejected(Duration.ofMillis(9), 10, "from 10 ms");
        assertRejected(Duration.ofDays(400_000), 10, "to 1,000 years");
        assertRejected(Duration.ofMinutes(-1), 1, "-1 min");
    }

    private void assertRejected(Duration span, int buckets, @Nullable String told) {
        assertThatThrownBy(() -> inspector.upcoming("orders", span, buckets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(told);
    }

    @Test
    void withoutRedisEachMethodSaysWhatItWanted() {
        queue.proxy.refuse();
        assertUnavailable(() -> inspector.topics(), "all topics");
        assertUnavailable(() -> inspector.topics(1, null), "Reading topics");
        assertUnavailable(() -> inspector.topic("orders"), "topic orders");
        assertUnavailable(() -> inspector.nodes(), "nodes");
        assertUnavailable(() -> inspector.messages("orders", MessageView.READY, 1, null), "Reading messages");
        assertUnavailable(() -> inspector.slowestKeys("orders"), "slowest keys");
        assertUnavailable(() -> inspector.upcoming("orders", Duration.ofMinutes(1), 1), "upcoming");
    }

    private static void assertUnavailable(Runnable call, String attempt) {
        assertThatThrownBy(call::run)
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining(attempt);
    }

    @Test
    void deadLettersAreGroupedByKind() {
        template.sendAll(IntStream.range(0, 1100)
                .mapToObj(
                        i -> DelayMessage.to("grouped").id("m" + i).payload("p").build())
                .toList());
        queue.deadLetterAll(
                "grouped", i -> i % 11 == 0 ? "no such order " + i : "connection to host" + i % 3 + " refused");

        DeadLetterGroups all = inspector.deadLetterGroups("grouped", DelayQueueInspector.MAX_GROUPED);
        assertThat(all.groups())
                .extracting(group -> group.kind().shape(), DeadLetterGroup::count)
                .containsExactly(tuple("connection to ? refused", 1000L), tuple("no such order ?", 100L));
        assertThat(all.groups()).allSatisfy(group -> {
            assertThat(group.first()).isBeforeOrEqualTo(group.last());
            assertThat(group.kind().cause()).isEqualTo("REQUESTED");
            assertThat(group.example()).startsWith("m");
        });
        assertThat(all.complete()).isTrue();
        assertThat(inspector.deadLetterGroups("grouped", 1100)).isEqualTo(all);
        DeadLetterGroups youngest = inspector.deadLetterGroups("grouped", 600);
        assertThat(youngest.counted()).isEqualTo(600);
        assertThat(youngest.complete()).isFalse();
        assertThat(inspector.deadLetterGroups("nothing", 1)).isEqualTo(new DeadLetterGroups(List.of(), 0, true));
        assertThatThrownBy(() -> inspector.deadLetterGroups("grouped", 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
