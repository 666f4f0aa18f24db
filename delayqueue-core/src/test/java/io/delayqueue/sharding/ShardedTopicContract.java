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

/** What holds for topics of any number of shards. */
@Timeout(120)
abstract class ShardedTopicContract {

    private static final Duration LATER = Duration.ofHours(1);

    abstract ShardedQueue queue();

    /** Of all masters. */
    abstract Set<String> keys();

    Set<String> shardKeys() {
        return keys().stream().filter(key -> !key.contains("{nodes}")).collect(Collectors.toSet());
    }

    private static List<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "order-" + i).toList();
    }

    private static void fill(Node process, int messages, Duration delay) {
        process.template()
                .sendAll(ids(messages).stream()
                        .map(id -> message(id).delay(delay).build())
                        .toList());
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void everyVerbFindsAMessageInItsShardAndNowhereElse(int count) {
        Node one = queue().process(count);
        Node other = queue().process();
        for (String id : ids(40)) {
            one.send(id, LATER);
            Shard own = Shard.of(TOPIC, id, count);
            for (Shard shard : one.registry().shards(TOPIC).join()) {
                assertThat(other.store().awaitFind(shard, id).isPresent()).isEqualTo(shard.equals(own));
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
    void aBatchIsToldInItsOrderWhateverShardsItGoesTo(int count) {
        Node process = queue().process(count);
        List<DelayMessage> messages = new ArrayList<>();
        ids(300).forEach(id -> messages.add(message(id).delay(LATER).build()));
        messages.add(
                150,
                message("order-7")
                        .onDuplicate(OnDuplicate.REPLACE)
                        .delay(LATER.multipliedBy(2))
                        .build());
        List<Success> told = process.template().sendAll(messages);
        assertThat(told)
                .extracting(Success::id)
                .isEqualTo(messages.stream().map(DelayMessage::id).toList());
        assertThat(told.get(150)).isInstanceOf(Replaced.class);
        assertThat(process.admin().counts(TOPIC).scheduled()).isEqualTo(300);
        assertThatThrownBy(() -> process.template()
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
    void aRepeatIsKnownByAnyProcessWhenItsMessagesHaveGone(int count) {
        Node one = queue().process(count);
        Node other = queue().process();
        IdempotencyKeys keys = new IdempotencyKeys(queue().scripts, queue().keySpace, new SecureRandom());
        Reservation reserved = keys.reserve(TOPIC, "key", "fingerprint", List.of());
        assertThat(keys.reserve(TOPIC, "key", "fingerprint", List.of()).nonce()).isEqualTo(reserved.nonce());
        List<DelayMessage> messages = IntStream.range(0, 40)
                .mapToObj(i -> message("order-" + i)
                        .delay(LATER)
                        .nonce(reserved.nonce(i))
                        .rememberFor(LATER)
                        .build())
                .toList();
        List<Success> told = one.template().sendAll(messages);
        ids(40).forEach(id -> one.template().cancel(TOPIC, id));

        assertThat(other.template().sendAll(messages)).isEqualTo(told);
        assertThat(other.template().send(messages.get(7))).isEqualTo(told.get(7));
        assertThat(other.admin().counts(TOPIC).scheduled()).isZero();
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void asynchronousSendsOfOneIdKeepTheirOrderFromTheFirstOn(int count) {
        queue().process(count).send("first", LATER);
        Node process = queue().process();
        for (String id : ids(20)) {
            List<CompletableFuture<Success>> sent = IntStream.range(0, 5)
                    .mapToObj(i -> process.template()
                            .sendAsync(DelayMessage.to(TOPIC)
                                    .id(id)
                                    .payload("p" + i)
                                    .delay(LATER)
                                    .onDuplicate(OnDuplicate.REPLACE)
                                    .build()))
                    .toList();
            sent.forEach(each -> each.orTimeout(30, TimeUnit.SECONDS).join());
            MessageSnapshot found = process.template().find(TOPIC, id).orElseThrow();
            assertThat(new String(found.envelope().payload(), UTF_8)).contains("p4");
        }
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void everythingIsClaimedAndCounted(int count) {
        Node process = queue().process(count);
        fill(process, 100, Duration.ZERO);
        assertThat(process.admin().counts(TOPIC).ready()).isEqualTo(100);
        assertThat(process.inspector().topic(TOPIC).orElseThrow().shards()).isEqualTo(count);
        assertThat(queue().claim(queue().process()))
                .extracting(Claim::id)
                .containsExactlyInAnyOrderElementsOf(ids(100));
        assertThat(queue().process().inspector().topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.counts().leased()).isEqualTo(100));
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void deadLettersAreReadYoungestFirstOverAllShardsEachOnce(int count) {
        Node process = queue().process(count);
        for (int i = 0; i < 5; i++) {
            int round = i;
            process.template()
                    .sendAll(ids(9).stream()
                            .map(id -> message(round + "/" + id).build())
                            .toList());
            queue().deadLetter(process);
        }
        List<DeadLetter> all = deadLetters(process, 500);
        assertThat(all).hasSize(45);
        assertThat(all).extracting(DeadLetter::deadLetteredAt).isSortedAccordingTo(Comparator.reverseOrder());
        for (int size : new int[] {1, 2, 7, 44, 45, 46}) {
            assertThat(deadLetters(queue().process(), size))
                    .extracting(DeadLetter::deadLetterId)
                    .as("pages of %s", size)
                    .isEqualTo(all.stream().map(DeadLetter::deadLetterId).toList());
        }
    }

    private static List<DeadLetter> deadLetters(Node process, int size) {
        List<DeadLetter> deadLetters = new ArrayList<>();
        String page = null;
        do {
            DeadLetterPage read = process.admin().deadLetters(TOPIC, size, page);
            assertThat(read.deadLetters()).hasSizeLessThanOrEqualTo(size);
            deadLetters.addAll(read.deadLetters());
            page = read.next();
        } while (page != null);
        return deadLetters;
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void deadLettersAreReplayedAndPurgedInAllShards(int count) {
        Node process = queue().process(count);
        fill(process, 60, Duration.ZERO);
        queue().deadLetter(process);
        Node operator = queue().process();
        String deadLetter = deadLetters(operator, 500).get(10).deadLetterId();
        assertThat(operator.admin().deadLetter(TOPIC, deadLetter)).isPresent();
        assertThat(operator.admin().replay(TOPIC, deadLetter, LATER)).isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(operator.admin().deadLetter(TOPIC, deadLetter)).isEmpty();
        String second = deadLetters(operator, 500).get(20).deadLetterId();
        assertThat(operator.admin().purge(TOPIC, second)).isTrue();
        assertThat(operator.admin().replayAll(TOPIC, LATER).replayed()).isEqualTo(58);
        assertThat(operator.admin().counts(TOPIC).scheduled()).isEqualTo(59);
        ids(60).forEach(id -> operator.template().reschedule(TOPIC, id, Duration.ZERO));
        queue().deadLetter(process);
        assertThat(operator.admin().purgeAll(TOPIC)).isEqualTo(59);
        assertThat(deadLetters(operator, 500)).isEmpty();
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void messagesAreListedInOneOrderOverAllShards(int count) {
        Node process = queue().process(count);
        Instant soon = Instant.now().plus(LATER);
        List<String> hostile = List.of("a", "Z", "é", "😀", "ab", "~", "ﬀ");
        process.template()
                .sendAll(IntStream.range(0, 120)
                        .mapToObj(i -> message(i < hostile.size() ? hostile.get(i) : "m" + i)
                                .dueAt(soon.plusSeconds(i < 60 ? 0 : i * 7 % 40))
                                .build())
                        .toList());
        List<MessageSnapshot> all = listed(process, MessageView.SCHEDULED, 500);
        assertThat(all)
                .hasSize(120)
                .isSortedAccordingTo(Comparator.comparing(MessageSnapshot::dueAt)
                        .thenComparing(message -> message.id().getBytes(UTF_8), Arrays::compareUnsigned));
        for (int size : new int[] {1, 7, 60, 119, 120}) {
            assertThat(listed(queue().process(), MessageView.SCHEDULED, size))
                    .extracting(MessageSnapshot::id)
                    .isEqualTo(all.stream().map(MessageSnapshot::id).toList());
        }
        ids(30).forEach(id -> process.send(id, Duration.ZERO));
        assertThat(listed(process, MessageView.READY, 4))
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrderElementsOf(ids(30));
        queue().claim(process);
        assertThat(listed(process, MessageView.LEASED, 4))
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrderElementsOf(ids(30));
        assertThat(process.inspector().upcoming(TOPIC, Duration.ofHours(2), 2).counts().stream()
                        .mapToLong(each -> each)
                        .sum())
                .isEqualTo(120);
    }

    private static List<MessageSnapshot> listed(Node process, MessageView view, int size) {
        List<MessageSnapshot> messages = new ArrayList<>();
        String page = null;
        do {
            MessagePage read = process.inspector().messages(TOPIC, view, size, page);
            assertThat(read.messages()).hasSizeLessThanOrEqualTo(size);
            messages.addAll(read.messages());
            page = read.next();
        } while (page != null);
        return messages;
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void aTopicGoesOnlyWhenNoShardHoldsAnything(int count) {
        Node process = queue().process(count);
        for (String id : ids(20)) {
            process.send(id, LATER);
            Set<String> before = keys();
            assertThatThrownBy(() -> queue().process().admin().deleteTopic(TOPIC))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it holds 1 message and 0 dead letters");
            assertThat(keys()).isEqualTo(before);
            process.template().cancel(TOPIC, id);
        }
        assertThat(queue().process().admin().deleteTopic(TOPIC)).isTrue();
        assertThat(shardKeys()).hasSize(count).allMatch(key -> key.endsWith(":ended"));
        assertThat(queue().process().admin().deleteTopic(TOPIC)).isFalse();
        process.send("a", LATER);
        assertThat(queue().process().has("a")).isTrue();
        assertThat(process.registry().shards(TOPIC).join()).hasSize(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 9, 16})
    void whoBelievesAnOldCountFollowsByHimself(int anew) {
        for (String verb :
                List.of("send", "sendAsync", "sendAll", "find", "cancel", "deadLetters", "messages", "counts")) {
            Node first = queue().process(3);
            first.send("x", LATER);
            Node old = queue().process();
            assertThat(old.has("x")).isTrue();
            first.template().cancel(TOPIC, "x");
            first.admin().deleteTopic(TOPIC);
            Node later = queue().process(anew);
            for (String id : ids(30)) {
                later.send(id, LATER);
            }
            use(old, verb);
            assertThat(old.registry().shards(TOPIC).join()).as(verb).hasSize(anew);
            assertThat(later.admin().counts(TOPIC).scheduled()).as(verb).isEqualTo(30);
            assertNothingOfAnotherCount(anew);
            for (String id : ids(30)) {
                later.template().cancel(TOPIC, id);
            }
            later.admin().deleteTopic(TOPIC);
        }
    }

    /** Leaves as many messages as there are. */
    private static void use(Node old, String verb) {
        switch (verb) {
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
                        .orTimeout(30, TimeUnit.SECONDS)
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
            default -> throw new IllegalArgumentException(verb);
        }
    }

    private void assertNothingOfAnotherCount(int count) {
        Set<String> own = new TreeSet<>();
        Shard.all(TOPIC, count)
                .forEach(shard -> own.add(new String(queue().keySpace.of(shard).meta(), UTF_8)));
        Set<String> there =
                keys().stream().filter(key -> key.endsWith("}:meta")).collect(Collectors.toSet());
        assertThat(there).isSubsetOf(own);
    }

    @Test
    void twoThatSayDifferentCountsNeverBothWrite() {
        Node four = queue().process(4);
        four.send("a", LATER);
        Set<String> before = keys();
        Node eight = queue().process(8);
        assertThatThrownBy(() -> eight.send("b", LATER))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("registered with 4 shards")
                .hasMessageContaining("shards is 8 here. Nothing was written.");
        assertThatThrownBy(() -> eight.template().sendAll(List.of(message("b").build())))
                .isInstanceOf(BatchSendException.class);
        assertThat(eight.template().sendAsync(message("b").build()))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("registered with 4 shards");
        assertThat(keys()).isEqualTo(before);
        assertThat(four.admin().counts(TOPIC).scheduled()).isEqualTo(1);
        // what only looks, or removes, goes by what is registered
        assertThat(eight.has("a")).isTrue();
        assertThat(eight.template().cancel(TOPIC, "a")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(eight.admin().deleteTopic(TOPIC)).isTrue();
        eight.send("b", LATER);
        assertThat(eight.registry().shards(TOPIC).join()).hasSize(8);
        assertThatThrownBy(() -> four.send("c", LATER)).hasMessageContaining("registered with 8 shards");
    }

    @Test
    void aRegistrationThatIsLostIsMadeAgainAsItWas() {
        queue().process(5).send("a", LATER);
        Node follower = queue().process();
        assertThat(follower.has("a")).isTrue();
        lose(queue().keySpace.topics());
        follower.inspector().topics();
        follower.send("b", LATER);
        assertThat(queue().process().has("a")).isTrue();
        assertThat(queue().process().registry().shards(TOPIC).join()).hasSize(5);
    }

    abstract void lose(byte[] key);
}
