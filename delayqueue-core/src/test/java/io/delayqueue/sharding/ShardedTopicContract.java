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
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.sharding.ShardedQueue.Node;
import io.delayqueue.store.Claim;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.idempotency.Reservation;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.testing.SystemClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for topics with any number of shards. */
@Timeout(120)
abstract class ShardedTopicContract {

    private static final Duration LATER = Duration.ofHours(1);

    abstract ShardedQueue queue();

    /** Keys of all masters. */
    abstract Set<String> keys();

    Set<String> shardKeys() {
        return keys().stream().filter(key -> !key.contains("{nodes}")).collect(Collectors.toSet());
    }

    private static List<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "order-" + i).toList();
    }

    private static void fill(Node node, int messages, Duration delay) {
        node.template()
                .sendAll(ids(messages).stream()
                        .map(id -> message(id).delay(delay).build())
                        .toList());
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void eachOperationFindsAMessageOnlyInItsShard(int count) {
        Node one = queue().node(count);
        Node other = queue().node();
        for (String id : ids(40)) {
            one.send(id, LATER);
            Shard expected = Shard.of(TOPIC, id, count);
            for (Shard shard : one.registry().shards(TOPIC).join()) {
                assertThat(other.store().awaitFind(shard, id).isPresent()).isEqualTo(shard.equals(expected));
            }
            assertThat(other.has(id)).isTrue();
            assertThatThrownBy(() -> other.send(id, LATER)).isInstanceOf(DuplicateMessageException.class);
            assertThat(other.template()
                            .send(message(id).onDuplicate(OnDuplicate.KEEP).build()))
                    .isInstanceOf(Kept.class);
            assertThat(other.template().reschedule(TOPIC, id, Duration.ofHours(2)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(other.template()
                            .send(message(id)
                                    .delay(LATER)
                                    .onDuplicate(OnDuplicate.REPLACE)
                                    .build()))
                    .isInstanceOf(Replaced.class);
            assertThat(one.template().cancel(TOPIC, id)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(other.template().cancel(TOPIC, id)).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(other.has(id)).isFalse();
        }
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void batchResultsKeepTheOrderOfTheMessages(int count) {
        Node node = queue().node(count);
        List<DelayMessage> messages = new ArrayList<>();
        ids(300).forEach(id -> messages.add(message(id).delay(LATER).build()));
        messages.add(
                150,
                message("order-7")
                        .onDuplicate(OnDuplicate.REPLACE)
                        .delay(LATER.multipliedBy(2))
                        .build());
        List<Success> results = node.template().sendAll(messages);
        assertThat(results)
                .extracting(Success::id)
                .isEqualTo(messages.stream().map(DelayMessage::id).toList());
        assertThat(results.get(150)).isInstanceOf(Replaced.class);
        assertThat(node.admin().counts(TOPIC).scheduled()).isEqualTo(300);
        assertThatThrownBy(() -> node.template()
                        .sendAll(List.of(
                                message("new").delay(LATER).build(),
                                message("order-9").build())))
                .isInstanceOfSatisfying(BatchSendException.class, failed -> {
                    assertThat(failed.results().get(0)).isInstanceOf(Accepted.class);
                    assertThat(failed.results().get(1)).isInstanceOf(Duplicate.class);
                });
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void repeatedSendIsRecognizedByEachNodeAfterItsMessagesAreGone(int count) {
        Node one = queue().node(count);
        Node other = queue().node();
        IdempotencyKeys keys = new IdempotencyKeys(queue().scripts, queue().keySpace, new SecureRandom());
        Reservation reserved = keys.reserve(TOPIC, "key", "fingerprint", List.of());
        assertThat(keys.reserve(TOPIC, "key", "fingerprint", List.of()).nonce()).isEqualTo(reserved.nonce());
        List<DelayMessage> messages = IntStream.range(0, 40)
                .mapToObj(i -> message("order-" + i)
                        .delay(LATER)
                        .repeatOf(reserved.nonce(i))
                        .rememberFor(LATER)
                        .build())
                .toList();
        List<Success> results = one.template().sendAll(messages);
        ids(40).forEach(id -> one.template().cancel(TOPIC, id));

        assertThat(other.template().sendAll(messages)).isEqualTo(results);
        assertThat(other.template().send(messages.get(7))).isEqualTo(results.get(7));
        assertThat(other.admin().counts(TOPIC).scheduled()).isZero();
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void asynchronousSendsOfOneIdKeepTheirOrder(int count) {
        queue().node(count).send("first", LATER);
        Node node = queue().node();
        for (String id : ids(20)) {
            List<CompletableFuture<Success>> sent = IntStream.range(0, 5)
                    .mapToObj(i -> node.template()
                            .sendAsync(DelayMessage.to(TOPIC)
                                    .id(id)
                                    .payload("p" + i)
                                    .delay(LATER)
                                    .onDuplicate(OnDuplicate.REPLACE)
                                    .build()))
                    .toList();
            sent.forEach(each -> each.orTimeout(60, TimeUnit.SECONDS).join());
            MessageSnapshot found = node.template().find(TOPIC, id).orElseThrow();
            assertThat(new String(found.envelope().payload(), UTF_8)).contains("p4");
        }
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void messagesOfAllShardsAreClaimedAndCounted(int count) {
        Node node = queue().node(count);
        fill(node, 100, Duration.ZERO);
        assertThat(node.admin().counts(TOPIC).ready()).isEqualTo(100);
        assertThat(node.inspector().topic(TOPIC).orElseThrow().shards()).isEqualTo(count);
        assertThat(queue().claim(queue().node())).extracting(Claim::id).containsExactlyInAnyOrderElementsOf(ids(100));
        assertThat(queue().node().inspector().topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.counts().leased()).isEqualTo(100));
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void deadLettersOfAllShardsAreListedOnceNewestFirst(int count) {
        Node node = queue().node(count);
        for (int i = 0; i < 5; i++) {
            int round = i;
            node.template()
                    .sendAll(ids(9).stream()
                            .map(id -> message(round + "/" + id).build())
                            .toList());
            queue().deadLetter(node);
        }
        List<DeadLetter> all = deadLetters(node, 500);
        assertThat(all).hasSize(45);
        assertThat(all).extracting(DeadLetter::deadLetteredAt).isSortedAccordingTo(Comparator.reverseOrder());
        for (int size : new int[] {1, 2, 7, 44, 45, 46}) {
            assertThat(deadLetters(queue().node(), size))
                    .extracting(DeadLetter::deadLetterId)
                    .as("pages of %s", size)
                    .isEqualTo(all.stream().map(DeadLetter::deadLetterId).toList());
        }
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

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void deadLettersAreReplayedAndPurgedInAllShards(int count) {
        Node node = queue().node(count);
        fill(node, 60, Duration.ZERO);
        queue().deadLetter(node);
        Node operator = queue().node();
        String deadLetter = deadLetters(operator, 500).get(10).deadLetterId();
        assertThat(operator.admin().deadLetter(TOPIC, deadLetter)).isPresent();
        assertThat(operator.admin().replay(TOPIC, deadLetter, LATER)).isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(operator.admin().deadLetter(TOPIC, deadLetter)).isEmpty();
        String second = deadLetters(operator, 500).get(20).deadLetterId();
        assertThat(operator.admin().purge(TOPIC, second)).isTrue();
        assertThat(operator.admin().counts(TOPIC).scheduled()).isEqualTo(1);
        assertThat(deadLetters(operator, 500)).hasSize(58);
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void messagesOfAllShardsAreListedInOneOrder(int count) {
        Node node = queue().node(count);
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
            assertThat(listed(queue().node(), MessageView.SCHEDULED, size))
                    .extracting(MessageSnapshot::id)
                    .isEqualTo(all.stream().map(MessageSnapshot::id).toList());
        }
        ids(30).forEach(id -> node.send(id, Duration.ZERO));
        assertThat(listed(node, MessageView.READY, 4))
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrderElementsOf(ids(30));
        queue().claim(node);
        assertThat(listed(node, MessageView.LEASED, 4))
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrderElementsOf(ids(30));
        assertThat(node.inspector().upcoming(TOPIC, Duration.ofHours(2), 2).counts().stream()
                        .mapToLong(each -> each)
                        .sum())
                .isEqualTo(120);
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

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void topicIsDeletedOnlyIfAllShardsAreEmpty(int count) {
        Node node = queue().node(count);
        for (String id : ids(20)) {
            node.send(id, LATER);
            Set<String> before = keys();
            assertThatThrownBy(() -> queue().node().admin().deleteTopic(TOPIC))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it holds 1 message and 0 dead letters");
            assertThat(keys()).isEqualTo(before);
            node.template().cancel(TOPIC, id);
        }
        assertThat(queue().node().admin().deleteTopic(TOPIC)).isTrue();
        assertThat(shardKeys()).hasSize(count).allMatch(key -> key.endsWith(":ended"));
        assertThat(queue().node().admin().deleteTopic(TOPIC)).isFalse();
        node.send("a", LATER);
        assertThat(queue().node().has("a")).isTrue();
        assertThat(node.registry().shards(TOPIC).join()).hasSize(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void nodeWithOutdatedShardCountUpdatesItself(int newCount) {
        for (String operation :
                List.of("send", "sendAsync", "sendAll", "find", "cancel", "deadLetters", "messages", "counts")) {
            Node first = queue().node(3);
            first.send("x", LATER);
            Node old = queue().node();
            assertThat(old.has("x")).isTrue();
            first.template().cancel(TOPIC, "x");
            first.admin().deleteTopic(TOPIC);
            Node later = queue().node(newCount);
            for (String id : ids(30)) {
                later.send(id, LATER);
            }
            use(old, operation);
            assertThat(old.registry().shards(TOPIC).join()).as(operation).hasSize(newCount);
            assertThat(later.admin().counts(TOPIC).scheduled()).as(operation).isEqualTo(30);
            assertOnlyKeysOfShardCount(newCount);
            for (String id : ids(30)) {
                later.template().cancel(TOPIC, id);
            }
            later.admin().deleteTopic(TOPIC);
        }
    }

    /** Calls an operation without changing the number of messages. */
    private static void use(Node old, String operation) {
        switch (operation) {
            case "send" -> {
                old.template().cancel(TOPIC, "order-1");
                old.send("order-1", LATER);
            }
            case "sendAsync" ->
                old.template()
                        .sendAsync(message("order-1")
                                .delay(LATER)
                                .onDuplicate(OnDuplicate.REPLACE)
                                .build())
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();
            case "sendAll" ->
                assertThat(old.template()
                                .sendAll(ids(30).stream()
                                        .map(id -> message(id)
                                                .delay(LATER)
                                                .onDuplicate(OnDuplicate.REPLACE)
                                                .build())
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

    private void assertOnlyKeysOfShardCount(int count) {
        Set<String> expected = new TreeSet<>();
        Shard.all(TOPIC, count)
                .forEach(shard ->
                        expected.add(new String(queue().keySpace.of(shard).meta(), UTF_8)));
        Set<String> actual =
                keys().stream().filter(key -> key.endsWith("}:meta")).collect(Collectors.toSet());
        assertThat(actual).isSubsetOf(expected);
    }

    @Test
    void nodesWithDifferentConfiguredShardCountsNeverBothWrite() {
        Node four = queue().node(4);
        four.send("a", LATER);
        Set<String> before = keys();
        Node eight = queue().node(8);
        assertThatThrownBy(() -> eight.send("b", LATER))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("registered with 4 shards")
                .hasMessageContaining("shards is 8 here. Nothing was written.");
        assertThatThrownBy(() -> eight.template().sendAll(List.of(message("b").build())))
                .isInstanceOf(BatchSendException.class);
        assertThat(eight.template().sendAsync(message("b").build()))
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withMessageContaining("registered with 4 shards");
        assertThat(keys()).isEqualTo(before);
        assertThat(four.admin().counts(TOPIC).scheduled()).isEqualTo(1);
        // reads and deletions use the registered shard count
        assertThat(eight.has("a")).isTrue();
        assertThat(eight.template().cancel(TOPIC, "a")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(eight.admin().deleteTopic(TOPIC)).isTrue();
        eight.send("b", LATER);
        assertThat(eight.registry().shards(TOPIC).join()).hasSize(8);
        assertThatThrownBy(() -> four.send("c", LATER)).hasMessageContaining("registered with 8 shards");
    }

    @Test
    void lostRegistrationIsRestoredWithTheSameShardCount() {
        queue().node(5).send("a", LATER);
        Node follower = queue().node();
        assertThat(follower.has("a")).isTrue();
        loseKey(queue().keySpace.topics());
        follower.inspector().topics();
        follower.send("b", LATER);
        assertThat(queue().node().has("a")).isTrue();
        assertThat(queue().node().registry().shards(TOPIC).join()).hasSize(5);
    }

    abstract void loseKey(byte[] key);
}
