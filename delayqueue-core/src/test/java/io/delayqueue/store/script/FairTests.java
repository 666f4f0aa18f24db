package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages of a fair topic: the keys share the starts of deliveries equally. */
class FairTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    private long sequence;

    /** Messages of a key, with ids from {@code <key>0} on. */
    private static List<OutgoingMessage> messages(String key, int count) {
        return IntStream.range(0, count).mapToObj(i -> message(key + i, key, 0)).toList();
    }

    private static OutgoingMessage message(String id, String key, long delay) {
        return Sends.keyed(id, key, new Due(delay, true), OnDuplicate.REJECT, "n");
    }

    private Polls poll() {
        return Polls.by("w1", ++sequence);
    }

    private List<Claim> claim(int most) {
        return bench.poll(poll().claim(most)).claims();
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    /** The number of claims by the first letter of the key. */
    private static Map<String, Integer> byKey(List<Claim> claims) {
        Map<String, Integer> byKey = new TreeMap<>();
        claims.forEach(claim -> byKey.merge(String.valueOf(claim.envelope().key()), 1, Integer::sum));
        return byKey;
    }

    private Polls acknowledging(List<Claim> claims) {
        Polls poll = poll();
        claims.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
        return poll;
    }

    @Test
    void aKeyWithManyMessagesDelaysNoOther() {
        bench.send(messages("a", 300));
        bench.send(messages("b", 1));
        bench.send(messages("c", 1));

        assertThat(byKey(claim(5))).isEqualTo(Map.of("a", 3, "b", 1, "c", 1));
    }

    @Test
    void keysShareTheClaimsOfManyPollsEqually() {
        for (String key : List.of("a", "b", "c")) {
            bench.send(messages(key, 100));
        }
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            claims.addAll(claim(i % 3));
        }

        assertThat(byKey(claims)).isEqualTo(Map.of("a", 33, "b", 33, "c", 33));
    }

    @Test
    void aLoneKeyGetsAllHandlers() {
        bench.send(messages("a", 300));

        assertThat(claim(200)).hasSize(200);
        assertThat(claim(200)).hasSize(100);
        checkEmptyAfter(List.of());
    }

    @Test
    void messagesOfAKeyLeaveInOrder() {
        bench.send(message("late", "a", 20), message("b", "a", 0), message("a", "a", 0), message("early", "a", 10));

        assertThat(ids(claim(10))).containsExactly("b", "a");
        bench.clock(T0 + 30);
        assertThat(ids(claim(10))).containsExactly("early", "late");
    }

    @Test
    void messagesWithoutAKeyShareOne() {
        bench.send(
                IntStream.range(0, 100).mapToObj(i -> Sends.after("m" + i, 0)).toList());
        bench.send(messages("b", 2));

        List<Claim> claims = claim(4);
        assertThat(byKey(claims)).isEqualTo(Map.of("null", 2, "b", 2));
        assertThat(claims)
                .allSatisfy(claim -> assertThat(claim.envelope().limits()).isEqualTo(MessageLimits.NONE));
    }

    @Test
    void theRepeatOfASendWithoutAKeyIsRecognised() {
        for (MessageLimits limits : List.of(MessageLimits.NONE, new MessageLimits(3, null, null, null))) {
            OutgoingMessage message = OutgoingMessage.of(
                    "id" + limits.maxAttempts(),
                    Due.NOW,
                    OnDuplicate.REJECT,
                    "nonce",
                    limits,
                    null,
                    Map.of(),
                    new byte[0]);
            bench.send(message);
            assertThat(bench.send(message)).extracting(SendReply::repeated).containsExactly(true);
        }
        assertThat(bench.send(Sends.after("id3", 0)))
                .extracting(SendReply::outcome)
                .containsExactly(SendReply.Outcome.DUPLICATE);
    }

    @Test
    void severalMessagesOfAKeyAreHandledAtOnceAndNoneHoldsTheOthers() {
        bench.send(messages("a", 3));
        Claim first = claim(1).get(0);
        bench.poll(poll().retry(first.id(), first.token(), 60_000));

        assertThat(ids(claim(10))).containsExactly("a1", "a2");
        bench.clock(T0 + 60_000);
        assertThat(ids(claim(10))).containsExactly("a0");
    }

    @Test
    void aKeySavesNoTurnsWhileItHasNoMessages() {
        bench.send(messages("a", 200));
        claim(100);
        bench.send(messages("b", 100));

        assertThat(byKey(claim(10))).isEqualTo(Map.of("a", 5, "b", 5));
    }

    @Test
    void aKeyThatWasServedAloneOwesNothing() {
        bench.send(messages("a", 100));
        claim(100);
        bench.send(IntStream.range(100, 110)
                .mapToObj(i -> message("a" + i, "a", 0))
                .toList());
        bench.send(messages("b", 10));

        assertThat(byKey(claim(10))).isEqualTo(Map.of("a", 5, "b", 5));
    }

    @Test
    void aRepeatedPollChargesOnce() {
        bench.send(messages("a", 10));
        bench.send(messages("b", 10));
        Polls poll = poll().claim(1);
        List<Claim> claims = bench.poll(poll).claims();

        assertThat(ids(bench.poll(poll).claims())).isEqualTo(ids(claims));
        assertThat(byKey(claim(3))).isEqualTo(Map.of("a", 1, "b", 2));
    }

    @Test
    void aPollThatStopsAndIsRepeatedClaimsNothingTwice() {
        boolean stopped = true;
        for (int write = 0; stopped; write++) {
            bench.reset();
            bench.send(messages("a", 4));
            bench.send(messages("b", 2));
            bench.stoppedBefore("poll", write);
            Polls poll = poll().claim(3);
            stopped = bench.stops(() -> bench.poll(poll));
            bench.undisturbed();
            List<String> claimed = new ArrayList<>(ids(bench.poll(poll).claims()));
            claimed.addAll(ids(bench.poll(Polls.by("w2", 1).claim(2)).claims()));
            claimed.addAll(ids(claim(10)));

            assertThat(claimed).as("write " + write).containsExactlyInAnyOrder("a0", "a1", "a2", "a3", "b0", "b1");
            checkEmptyAfter(List.of());
        }
    }

    @Test
    void aRetryAfterAPollThatStoppedIsNotEarly() {
        boolean stopped = true;
        for (int write = 0; stopped; write++) {
            bench.reset();
            bench.send(messages("a", 3));
            bench.stoppedBefore("poll", write);
            Polls poll = poll().claim(1);
            stopped = bench.stops(() -> bench.poll(poll));
            bench.undisturbed();
            List<Claim> repeated = bench.poll(poll).claims();
            Claim first = (repeated.isEmpty() ? claim(1) : repeated).get(0);
            bench.poll(poll().retry(first.id(), first.token(), 10));

            assertThat(ids(claim(10))).as("write " + write).containsExactly("a1", "a2");
            bench.clock(T0 + 10);
            assertThat(ids(claim(10))).as("write " + write).containsExactly("a0");
            checkEmptyAfter(List.of());
        }
    }

    @Test
    void aReleaseAfterAPollThatStoppedLosesNothing() {
        boolean stopped = true;
        for (int write = 0; stopped; write++) {
            bench.reset();
            bench.send(messages("a", 3));
            bench.stoppedBefore("poll", write);
            Polls poll = poll().claim(1);
            stopped = bench.stops(() -> bench.poll(poll));
            bench.undisturbed();
            List<Claim> repeated = bench.poll(poll).claims();
            Claim first = (repeated.isEmpty() ? claim(1) : repeated).get(0);
            List<String> claimed =
                    new ArrayList<>(ids(bench.poll(poll().release(first.id(), first.token()).claim(10))
                            .claims()));
            claimed.addAll(ids(claim(10)));

            assertThat(claimed).as("write " + write).containsExactlyInAnyOrder("a0", "a1", "a2");
            checkEmptyAfter(List.of());
        }
    }

    @Test
    void theReplyTellsWhenTheNextMessageIsDue() {
        bench.send(messages("a", 2));
        bench.send(message("later", "b", 50));

        assertThat(bench.poll(poll().claim(1)).nextDueMillis()).isEqualTo(T0);
        assertThat(bench.poll(poll().claim(10)).nextDueMillis()).isEqualTo(T0 + 50);
        bench.clock(T0 + 50);
        assertThat(bench.poll(poll().claim(10)).nextDueMillis()).isEqualTo(PollReply.NEVER);
    }

    @Test
    void dueMessagesOfAnyNumberOfKeysAreShared() {
        List<OutgoingMessage> busy = messages("a", 400);
        for (int i = 0; i < 3; i++) {
            bench.send(busy.stream()
                    .map(message -> message(message.id() + "x" + message.hashCode(), "a", 0))
                    .toList());
        }
        for (int i = 0; i < 4; i++) {
            int from = 400 * i;
            bench.send(IntStream.range(from, from + 400)
                    .mapToObj(k -> message("k" + k, "key" + k, 0))
                    .toList());
        }
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            claims.addAll(claim(400));
        }

        assertThat(byKey(claims).keySet()).hasSize(1601);
    }

    @Test
    void deadLettersCancelsAndReschedulesLeaveNothingBehind() {
        bench.send(messages("a", 5));
        bench.send(messages("b", 5));
        List<Claim> claims = claim(2);
        Polls poll = poll();
        claims.forEach(claim -> poll.deadLetter(claim.id(), claim.token(), DeadLetterCause.REQUESTED));
        bench.poll(poll);
        bench.cancel("a1");
        bench.cancel("a4");
        bench.reschedule("a2", new Due(10, true));
        String deadLetter = bench.state().get("deadLetters").keySet().iterator().next();
        bench.store().replay(bench.shard(), List.of(deadLetter), Due.NOW).join();

        assertThat(bench.store().count(bench.shard()).join().counts().ready()).isEqualTo(6);
        claims = claim(10);
        assertThat(claims).hasSize(6);
        bench.clock(T0 + 10);
        List<Claim> rest = bench.poll(acknowledging(claims).claim(10)).claims();
        assertThat(ids(rest)).containsExactly("a2");
        checkEmptyAfter(rest);
    }

    @Test
    void expiredMessagesCostTheirKeyNoTurn() {
        bench.send(messages("b", 10));
        for (int i = 0; i < 10; i++) {
            bench.send(OutgoingMessage.of(
                    "x" + i,
                    Due.NOW,
                    OnDuplicate.REJECT,
                    "n",
                    new MessageLimits(null, null, Duration.ofMillis(5), null),
                    "a",
                    Map.of(),
                    new byte[0]));
        }
        bench.clock(T0 + 10);
        claim(20);
        bench.send(messages("a", 4));
        bench.send(
                IntStream.range(10, 14).mapToObj(i -> message("b" + i, "b", 0)).toList());

        assertThat(byKey(claim(4))).isEqualTo(Map.of("a", 2, "b", 2));
    }

    @Test
    void anEmptyTopicIsDeletedWithItsKeys() {
        bench.send(messages("a", 3));
        checkEmptyAfter(claim(10));
        assertThat(bench.process().deletion().delete("orders")).isTrue();

        assertThat((List<?>) requireNonNull(bench.redis().call("KEYS", "dq:{orders*")))
                .extracting(key -> new String((byte[]) key, UTF_8))
                .containsExactly("dq:{orders:0.0}:ended");
    }

    private void checkEmptyAfter(List<Claim> claims) {
        if (!claims.isEmpty()) {
            bench.poll(acknowledging(claims));
            assertThat(bench.state().get("messages")).isEmpty();
        }
        for (String name : List.of("schedule", "active", "parked", "parked.due")) {
            assertThat(bench.redis().call("ZCARD", bench.key(name))).as(name).isEqualTo(1L);
        }
        assertThat(bench.redis().call("HLEN", bench.key("heads"))).isEqualTo(1L);
    }
}
