package io.delayqueue.sharding;

import static io.delayqueue.sharding.ShardedQueue.TOPIC;
import static io.delayqueue.sharding.ShardedQueue.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.MessagePage;
import io.delayqueue.admin.MessageView;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.sharding.ShardedQueue.Node;
import io.delayqueue.store.Claim;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.idempotency.Reservation;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Operations on a topic with three shards. That the keys of a script fall into one slot is tested by the compatibility tests. */
@EmbeddedRedis
class ShardedTopicTests {

    private static final Duration LATER = Duration.ofHours(1);
    private static final int SHARDS = 3;

    private static FaultProxy proxy;
    private static ShardedQueue queue;
    private final RedisServerProcess redis;

    ShardedTopicTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeAll
    static void connect(RedisServerProcess redis) {
        proxy = FaultProxy.inFrontOf(redis);
        queue = new ShardedQueue(new LettuceConnectionFactory(proxy.host(), proxy.port()));
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @AfterAll
    static void disconnect() {
        queue.close();
        proxy.close();
    }

    private Set<String> keys() {
        return ((List<?>) redis.command("KEYS", "*"))
                .stream().map(String::valueOf).collect(Collectors.toSet());
    }

    private List<String> shardKeys() {
        return keys().stream().filter(key -> !key.contains("{nodes}")).toList();
    }

    private static List<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "order-" + i).toList();
    }

    private static DelayMessage replacing(String id, String payload) {
        DelayMessage.Builder message = DelayMessage.to(TOPIC).id(id).payload(payload);
        return message.delay(LATER).onDuplicate(OnDuplicate.REPLACE).build();
    }

    @Test
    void eachOperationFindsAMessageOnlyInItsShard() {
        Node one = queue.node(SHARDS);
        Node other = queue.node();
        for (String id : ids(40)) {
            one.send(id, LATER);
            Shard expected = Shard.of(TOPIC, id, SHARDS);
            for (Shard shard : one.registry().shards(TOPIC).join()) {
                assertThat(Await.result(other.store().find(shard, id)).isPresent())
                        .isEqualTo(shard.equals(expected));
            }
            assertThat(other.has(id)).isTrue();
            assertThatThrownBy(() -> other.send(id, LATER)).isInstanceOf(DuplicateMessageException.class);
            DelayMessage kept = message(id).onDuplicate(OnDuplicate.KEEP).build();
            assertThat(other.template().send(kept)).isInstanceOf(Kept.class);
            assertThat(other.template().reschedule(TOPIC, id, LATER)).isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(other.template().send(replacing(id, "x"))).isInstanceOf(Replaced.class);
            assertThat(one.template().cancel(TOPIC, id)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(other.template().cancel(TOPIC, id)).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(other.has(id)).isFalse();
        }
    }

    @Test
    void batchResultsKeepTheOrderOfTheMessages() {
        Node node = queue.node(SHARDS);
        List<DelayMessage> messages = new ArrayList<>();
        ids(300).forEach(id -> messages.add(message(id).delay(LATER).build()));
        messages.add(150, replacing("order-7", "x"));

        List<Success> results = node.template().sendAll(messages);
        assertThat(results)
                .extracting(Success::id)
                .isEqualTo(messages.stream().map(DelayMessage::id).toList());
        assertThat(results.get(150)).isInstanceOf(Replaced.class);
        assertThat(node.admin().counts(TOPIC).scheduled()).isEqualTo(300);
    }

    @Test
    void repeatedSendIsRecognizedByEachNodeAfterItsMessagesAreGone() {
        Node one = queue.node(SHARDS);
        Node other = queue.node();
        Reservation reserved = new IdempotencyKeys(queue.scripts, queue.keySpace, new SecureRandom())
                .reserve(TOPIC, "key", "fingerprint", List.of());
        List<DelayMessage> messages = IntStream.range(0, 40)
                .mapToObj(i -> message("order-" + i).delay(LATER).repeatOf(reserved.nonce(i)))
                .map(message -> message.rememberFor(LATER).build())
                .toList();
        List<Success> results = one.template().sendAll(messages);
        ids(40).forEach(id -> one.template().cancel(TOPIC, id));

        assertThat(other.template().sendAll(messages)).isEqualTo(results);
        assertThat(other.admin().counts(TOPIC).scheduled()).isZero();
    }

    @Test
    void asynchronousSendsOfOneIdKeepTheirOrder() {
        queue.node(SHARDS).send("first", LATER);
        Node node = queue.node();
        for (String id : ids(20)) {
            List<CompletableFuture<Success>> sent = IntStream.range(0, 5)
                    .mapToObj(i -> node.template().sendAsync(replacing(id, "p" + i)))
                    .toList();
            sent.forEach(CompletableFuture::join);
            MessageSnapshot found = node.template().find(TOPIC, id).orElseThrow();
            assertThat(new String(found.envelope().payload(), UTF_8)).contains("p4");
        }
    }

    @Test
    void messagesOfAllShardsAreClaimedAndCounted() {
        Node node = queue.node(SHARDS);
        node.template().sendAll(ids(100).stream().map(id -> message(id).build()).toList());
        assertThat(node.admin().counts(TOPIC).ready()).isEqualTo(100);
        assertThat(node.inspector().topic(TOPIC).orElseThrow().shards()).isEqualTo(SHARDS);
        assertThat(queue.claim(queue.node())).extracting(Claim::id).containsExactlyInAnyOrderElementsOf(ids(100));
        assertThat(queue.node().inspector().topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.counts().leased()).isEqualTo(100));
    }

    @Test
    void deadLettersOfAllShardsAreListedOnceNewestFirstReplayedAndPurged() {
        Node node = queue.node(SHARDS);
        for (int i = 0; i < 5; i++) {
            String round = i + "/";
            node.template()
                    .sendAll(ids(9).stream()
                            .map(id -> message(round + id).build())
                            .toList());
            queue.deadLetter(node);
        }
        Node operator = queue.node();
        List<DeadLetter> all = deadLetters(node, 500);
        assertThat(all).hasSize(45);
        assertThat(all).extracting(DeadLetter::deadLetteredAt).isSortedAccordingTo(Comparator.reverseOrder());
        for (int size : new int[] {1, 2, 7, 44, 45, 46}) {
            assertThat(deadLetters(operator, size))
                    .extracting(DeadLetter::deadLetterId)
                    .as("pages of %s", size)
                    .isEqualTo(all.stream().map(DeadLetter::deadLetterId).toList());
        }
        String deadLetter = all.get(10).deadLetterId();
        assertThat(operator.admin().deadLetter(TOPIC, deadLetter)).isPresent();
        assertThat(operator.admin().replay(TOPIC, deadLetter, LATER)).isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(operator.admin().purge(TOPIC, all.get(20).deadLetterId())).isTrue();
        assertThat(operator.admin().counts(TOPIC).scheduled()).isEqualTo(1);
        assertThat(deadLetters(operator, 500)).hasSize(43);
    }

    private static List<DeadLetter> deadLetters(Node node, int size) {
        List<DeadLetter> deadLetters = new ArrayList<>();
        String page = null;
        do {
            DeadLetterPage read = node.admin().deadLetters(TOPIC, size, page);
            assertThat(read.deadLetters()).hasSizeLessThanOrEqualTo(size);
            deadLetters.addAll(read.deadLetters());
            page = read.next();
        } while (page != null);
        return deadLetters;
    }

    @Test
    void messagesOfAllShardsAreListedInOneOrder() {
        Node node = queue.node(SHARDS);
        Instant soon = SystemClock.now().plus(LATER);
        List<String> hostile = List.of("a", "Z", "é", "😀", "ab", "~", "ﬀ");
        node.template()
                .sendAll(IntStream.range(0, 120)
                        .mapToObj(i -> message(i < hostile.size() ? hostile.get(i) : "m" + i)
                                .dueAt(soon.plusSeconds(i < 60 ? 0 : i * 7 % 40))
                                .build())
                        .toList());
        List<MessageSnapshot> all = listed(node, MessageView.SCHEDULED, 500);
        assertThat(all)
                .hasSize(120)
                .isSortedAccordingTo(Comparator.comparing(MessageSnapshot::dueAt)
                        .thenComparing(message -> message.id().getBytes(UTF_8), Arrays::compareUnsigned));
        for (int size : new int[] {1, 7, 60, 119, 120}) {
            assertThat(listed(queue.node(), MessageView.SCHEDULED, size))
                    .extracting(MessageSnapshot::id)
                    .isEqualTo(all.stream().map(MessageSnapshot::id).toList());
        }
        ids(30).forEach(id -> node.send(id, Duration.ZERO));
        assertThat(listed(node, MessageView.READY, 4))
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrderElementsOf(ids(30));
        queue.claim(node);
        assertThat(listed(node, MessageView.LEASED, 4)).hasSize(30);
        List<Long> upcoming =
                node.inspector().upcoming(TOPIC, Duration.ofHours(2), 2).counts();
        assertThat(upcoming.stream().mapToLong(each -> each).sum()).isEqualTo(120);
    }

    private static List<MessageSnapshot> listed(Node node, MessageView view, int size) {
        List<MessageSnapshot> messages = new ArrayList<>();
        String page = null;
        do {
            MessagePage read = node.inspector().messages(TOPIC, view, size, page);
            assertThat(read.messages()).hasSizeLessThanOrEqualTo(size);
            messages.addAll(read.messages());
            page = read.next();
        } while (page != null);
        return messages;
    }

    @Test
    void topicIsDeletedOnlyIfAllShardsAreEmpty() {
        Node node = queue.node(SHARDS);
        for (String id : ids(20)) {
            node.send(id, LATER);
            Set<String> before = keys();
            assertThatThrownBy(() -> queue.node().admin().deleteTopic(TOPIC))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it holds 1 message and 0 dead letters");
            assertThat(keys()).isEqualTo(before);
            node.template().cancel(TOPIC, id);
        }
        assertThat(queue.node().admin().deleteTopic(TOPIC)).isTrue();
        assertThat(shardKeys()).hasSize(SHARDS).allMatch(key -> key.endsWith(":ended"));
        assertThat(queue.node().admin().deleteTopic(TOPIC)).isFalse();
        node.send("a", LATER);
        assertThat(queue.node().has("a")).isTrue();
        assertThat(node.registry().shards(TOPIC).join()).hasSize(SHARDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void nodeWithOutdatedShardCountUpdatesItself(int newCount) {
        for (String operation :
                List.of("send", "sendAsync", "sendAll", "find", "cancel", "deadLetters", "messages", "counts")) {
            redis.flush();
            Node first = queue.node(SHARDS);
            first.send("x", LATER);
            Node old = queue.node();
            assertThat(old.has("x")).isTrue();
            first.template().cancel(TOPIC, "x");
            first.admin().deleteTopic(TOPIC);
            Node later = queue.node(newCount);
            ids(30).forEach(id -> later.send(id, LATER));

            use(old, operation);
            assertThat(old.registry().shards(TOPIC).join()).as(operation).hasSize(newCount);
            assertThat(later.admin().counts(TOPIC).scheduled()).as(operation).isEqualTo(30);
            List<String> metas = Shard.all(TOPIC, newCount).stream()
                    .map(shard -> new String(queue.keySpace.of(shard).meta(), UTF_8))
                    .toList();
            assertThat(keys()).filteredOn(key -> key.endsWith("}:meta")).isSubsetOf(metas);
        }
    }

    /** Calls an operation without changing the number of messages. */
    private static void use(Node old, String operation) {
        switch (operation) {
            case "send" -> old.template().send(replacing("order-1", "x"));
            case "sendAsync" ->
                old.template().sendAsync(replacing("order-1", "x")).join();
            case "sendAll" ->
                assertThat(old.template()
                                .sendAll(ids(30).stream()
                                        .map(id -> replacing(id, "x"))
                                        .toList()))
                        .hasOnlyElementsOfType(Replaced.class);
            case "find" -> assertThat(old.has("order-1")).isTrue();
            case "cancel" -> {
                assertThat(old.template().cancel(TOPIC, "order-1")).isEqualTo(CancelOutcome.CANCELLED);
                old.send("order-1", LATER);
            }
            case "deadLetters" ->
                assertThat(old.admin().deadLetters(TOPIC, 10).deadLetters()).isEmpty();
            case "messages" -> assertThat(listed(old, MessageView.SCHEDULED, 7)).hasSize(30);
            case "counts" -> assertThat(old.admin().counts(TOPIC).scheduled()).isEqualTo(30);
            default -> throw new IllegalArgumentException(operation);
        }
    }

    @Test
    void nodesWithDifferentConfiguredShardCountsNeverBothWrite() {
        Node four = queue.node(4);
        four.send("a", LATER);
        Set<String> before = keys();

        Node eight = queue.node(8);
        assertThatThrownBy(() -> eight.send("b", LATER))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("registered with shards=4")
                .hasMessageContaining("shards is 8 here. Nothing was written.");
        assertThatThrownBy(() -> eight.template().sendAll(List.of(message("b").build())))
                .isInstanceOf(BatchSendException.class);
        assertThatThrownBy(
                        () -> eight.template().sendAsync(message("b").build()).join())
                .hasMessageContaining("registered with shards=4");
        assertThat(keys()).isEqualTo(before);
        assertThat(four.admin().counts(TOPIC).scheduled()).isEqualTo(1);

        // reads and deletions use the registered shard count
        assertThat(eight.has("a")).isTrue();
        assertThat(eight.template().cancel(TOPIC, "a")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(eight.admin().deleteTopic(TOPIC)).isTrue();
        eight.send("b", LATER);
        assertThat(eight.registry().shards(TOPIC).join()).hasSize(8);
        assertThatThrownBy(() -> four.send("c", LATER)).hasMessageContaining("registered with shards=8");
    }

    @Test
    void lostRegistrationIsRestoredWithTheSameShardCount() {
        queue.node(5).send("a", LATER);
        Node follower = queue.node();
        assertThat(follower.has("a")).isTrue();
        redis.command("DEL", new String(queue.keySpace.topics(), UTF_8));

        follower.inspector().topics();
        follower.send("b", LATER);
        assertThat(queue.node().has("a")).isTrue();
        assertThat(queue.node().registry().shards(TOPIC).join()).hasSize(5);
    }

    @Test
    void operationOnAKnownTopicTakesOneRoundTrip() {
        Node node = queue.node(SHARDS);
        ids(20).forEach(id -> node.send(id, LATER)); // so that each shard is open
        for (int round = 0; round < 2; round++) { // the first one loads the scripts into Redis
            boolean loaded = round == 1;
            assertRequests(loaded, 1, () -> node.send("a", LATER));
            assertRequests(loaded, 1, () -> node.has("a"));
            assertRequests(loaded, 1, () -> node.template().reschedule(TOPIC, "a", LATER));
            assertRequests(loaded, 1, () -> node.template().cancel(TOPIC, "a"));
            assertRequests(loaded, SHARDS, () -> node.admin().counts(TOPIC));
            assertRequests(
                    loaded,
                    1,
                    () -> node.template().sendAsync(replacing("b", "x")).join());
        }
    }

    private static void assertRequests(boolean loaded, int expected, Runnable action) {
        proxy.traffic().reset();
        action.run();
        if (loaded) {
            assertThat(proxy.traffic().requests()).isEqualTo(expected);
        }
    }

    /** Runs a number of scripts, then fails. */
    private static ScriptRunner failingAfter(int scripts) {
        int[] left = {scripts};
        return (ScriptCall call) -> left[0]-- > 0
                ? queue.scripts.run(call)
                : CompletableFuture.failedFuture(new RedisCallException(Kind.NOT_SENT, "the node has ended", null));
    }

    /**
     * A deletion runs one script to look up the topic, three to read, three to close shards and one to unregister the
     * topic.
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void interruptedDeletionIsCompletedByTheNextOneOrRevertedBySends(int scripts) {
        for (boolean finished : new boolean[] {true, false}) {
            redis.flush();
            Node node = queue.node(SHARDS);
            node.send("x", LATER);
            node.template().cancel(TOPIC, "x");
            Node interrupted = queue.node(ShardPlan.NONE, failingAfter(scripts));
            assertThatThrownBy(() -> interrupted.admin().deleteTopic(TOPIC)).hasMessageContaining("the node has ended");
            if (finished) {
                assertThat(queue.node().admin().deleteTopic(TOPIC)).isTrue();
                assertThat(shardKeys()).allMatch(key -> key.endsWith(":ended"));
                // a deleted topic can be registered with another shard count
                queue.node(2).send("a", LATER);
                assertThat(queue.node().has("a")).isTrue();
            } else {
                // sends by a node without a configured count and by a node that knows the topic keep the shard count
                Node newcomer = queue.node();
                for (int i = 0; i < 10; i++) {
                    newcomer.send("a" + i, LATER);
                    node.send("b" + i, LATER);
                }
                assertThat(newcomer.registry().shards(TOPIC).join()).hasSize(SHARDS);
                assertThat(queue.node().admin().counts(TOPIC).scheduled()).isEqualTo(20);
                assertThat(IntStream.range(0, 10)).allMatch(i -> node.has("a" + i) && newcomer.has("b" + i));
            }
        }
    }

    @Test
    void readingAnUnregisteredTopicDoesNotRegisterIt() {
        Node node = queue.node(8);
        assertThat(node.has("a")).isFalse();
        assertThat(node.admin().deadLetters(TOPIC, 5).deadLetters()).isEmpty();
        assertThat(node.admin().deleteTopic(TOPIC)).isFalse();
        assertThat(node.inspector().topic(TOPIC)).isEmpty();
        assertThat(keys()).isEmpty();
    }
}
