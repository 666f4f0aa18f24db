package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
        afterEachStop(first -> {
            bench.poll(poll().retry(first.id(), first.token(), 10));

            assertThat(ids(claim(10))).containsExactly("a1", "a2");
            bench.clock(T0 + 10);
            assertThat(ids(claim(10))).containsExactly("a0");
        });
    }

    @Test
    void aReleaseAfterAPollThatStoppedLosesNothing() {
        afterEachStop(first -> {
            List<String> claimed = new ArrayList<>(
                    ids(bench.poll(poll().release(first.id(), first.token()).claim(10))
                            .claims()));
            claimed.addAll(ids(claim(10)));

            assertThat(claimed).containsExactlyInAnyOrder("a0", "a1", "a2");
        });
    }

    /** Stops a poll before each of its writes in turn, repeats it, and checks its claim, or that of the next poll. */
    private void afterEachStop(Consumer<Claim> check) {
        boolean stopped = true;
        for (int write = 0; stopped; write++) {
            bench.reset();
            bench.send(messages("a", 3));
            bench.stoppedBefore("poll", write);
            Polls poll = poll().claim(1);
            stopped = bench.stops(() -> bench.poll(poll));
            bench.undisturbed();
            List<Claim> repeated = bench.poll(poll).claims();
            check.accept((repeated.isEmpty() ? claim(1) : repeated).get(0));
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

    @Test
    void aKeyWhoseNextMessageArrivesInTimeDoesNotGetEachTurn() {
        bench.send(messages("b", 10));
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            bench.send(message("a" + i, "a", 0));
            claims.addAll(claim(1));
        }

        assertThat(byKey(claims)).isEqualTo(Map.of("a", 5, "b", 5));
    }

    @Test
    void aLargeBacklogOfOneKeyCostsNoMoreCommands() {
        for (int i = 0; i < 20; i++) {
            int from = 500 * i;
            bench.send(IntStream.range(from, from + 500)
                    .mapToObj(k -> message("a" + k, "a", 0))
                    .toList());
        }
        for (int i = 0; i < 2; i++) {
            int from = 500 * i;
            bench.send(IntStream.range(from, from + 500)
                    .mapToObj(k -> message("b" + k, "key" + k, 0))
                    .toList());
        }
        claim(1);
        claim(1);

        assertThat(commandsOf(() -> claim(10))).isLessThan(80);
        assertThat(commandsOf(() -> claim(100))).isLessThan(620);
        List<Claim> rest = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            rest.addAll(claim(100));
        }
        assertThat(byKey(rest)).hasSizeGreaterThan(880);
        assertThat(commandsOf(() -> claim(500))).isLessThan(60);
    }

    private long commandsOf(Runnable action) {
        return bench.commands(action).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void messagesAreClaimedUpToTheBoundOfBytes() {
        for (int i = 0; i < 20; i++) {
            bench.send(OutgoingMessage.of(
                    "m" + i,
                    Due.NOW,
                    OnDuplicate.REJECT,
                    "n",
                    MessageLimits.NONE,
                    "k" + i % 2,
                    Map.of(),
                    new byte[10_000]));
        }
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            List<Claim> some = bench.poll(poll().claim(20).bytes(45_000)).claims();
            assertThat(some).hasSize(4);
            assertThat(byKey(some)).isEqualTo(Map.of("k0", 2, "k1", 2));
            claims.addAll(some);
        }
        checkEmptyAfter(claims);
    }

    @Test
    void aSuspectIsIsolatedAndLeavesItsKey() {
        bench.send(messages("a", 2));
        for (int crash = 1; crash <= 2; crash++) {
            assertThat(ids(claim(1))).containsExactly("a0");
            bench.clock(T0 + crash * 40_000L);
            assertThat(bench.poll(poll().gap(Duration.ofHours(1))).reclaimed()).containsExactly("a0");
            if (crash == 1) {
                List<Claim> other = claim(1);
                assertThat(ids(other)).containsExactly("a1");
                bench.poll(acknowledging(other));
            }
        }
        assertThat(claim(10)).isEmpty();

        List<Claim> isolated = bench.poll(poll().claim(10).claimSuspect()).claims();
        assertThat(ids(isolated)).containsExactly("a0");
        checkEmptyAfter(isolated);
    }

    @Test
    void aMessageThatIsRetriedBecomesASuspectOfNoKey() {
        bench.send(messages("a", 2));
        bench.redis().call("HSET", bench.key("deliveries"), "a0", "- 0/2/0 " + T0 + " ");

        PollReply reply = bench.poll(poll().claim(10));
        assertThat(ids(reply.claims())).containsExactly("a1");
        assertThat(reply.suspectsLeft()).isTrue();
        assertThat(bench.redis().call("ZCARD", bench.key("parked.due"))).isEqualTo(1L);
        List<Claim> claims = new ArrayList<>(reply.claims());
        claims.addAll(bench.poll(poll().claim(10).claimSuspect()).claims());
        assertThat(ids(claims)).containsExactly("a1", "a0");
        checkEmptyAfter(claims);
    }

    @Test
    void aSuspectThatAPollLeftInParkedIsClaimedOnce() {
        boolean stopped = true;
        for (int write = 0; stopped; write++) {
            bench.reset();
            bench.send(messages("a", 2));
            bench.redis().call("HSET", bench.key("deliveries"), "a0", "- 0/2/0 " + T0 + " ");
            bench.stoppedBefore("poll", write);
            Polls poll = poll().claim(1);
            stopped = bench.stops(() -> bench.poll(poll));
            bench.undisturbed();
            bench.poll(poll);
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                claims.addAll(
                        bench.poll(Polls.by("w2", i).claim(5).claimSuspect()).claims());
            }

            assertThat(ids(claims)).as("write " + write).doesNotHaveDuplicates().contains("a0");
        }
    }

    @Test
    void aSuccessorMayHaveAnotherKey() {
        bench.send(message("x", "a", 0), message("a2", "a", 0));
        List<Claim> claims = claim(1);
        assertThat(ids(claims)).containsExactly("x");
        bench.send(Sends.keyed("x", "b", Due.NOW, OnDuplicate.AFTER_RUNNING, "m"));
        bench.send(Sends.keyed("x", "c", Due.NOW, OnDuplicate.AFTER_RUNNING, "o"));
        bench.poll(acknowledging(claims));

        claims = claim(10);
        assertThat(byKey(claims)).isEqualTo(Map.of("a", 1, "c", 1));
        checkEmptyAfter(claims);
    }

    @Test
    void aReplacedMessageMovesToItsNewKey() {
        bench.send(messages("a", 3));
        assertThat(ids(claim(1))).containsExactly("a0");
        bench.send(Sends.keyed("a1", "b", Due.NOW, OnDuplicate.REPLACE, "m"));

        assertThat(byKey(claim(10))).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void anOrphanAndAMessageWithoutAHeadAreNotLeft() {
        bench.send(messages("a", 3));
        bench.redis().call("ZADD", bench.key("schedule"), T0, "orphan");
        for (int i = 0; i < 4; i++) {
            bench.redis().call("ZADD", bench.key("schedule"), T0 - 1, "foreign" + i);
            bench.redis().call("HSET", bench.key("messages"), "foreign" + i, "x");
        }
        assertThat(claim(2)).hasSizeLessThan(3);
        assertThat(claim(4)).hasSizeLessThan(5);
        bench.redis().call("HDEL", bench.key("messages"), "a2");
        for (int i = 0; i < 3; i++) {
            claim(10);
        }

        assertThat(bench.redis().call("ZCARD", bench.key("schedule"))).isEqualTo(1L);
        checkEmptyAfter(List.of());
    }

    @Test
    void aTopicThatIsHeldClaimsNothing() {
        bench.send(messages("a", 2));
        bench.send(messages("b", 2));
        Claim first = claim(1).get(0);

        assertThat(bench.poll(poll().hold(first.id(), first.token(), 100).claim(10))
                        .claims())
                .isEmpty();
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 100);
        List<Claim> claims = claim(10);
        assertThat(claims).hasSize(4);
        checkEmptyAfter(claims);
    }

    @Test
    void limitsOfTheTopicApply() {
        bench.limits("3 0 0 8");
        bench.send(messages("a", 5));
        bench.send(messages("b", 3));
        assertThat(bench.send(message("c", "c", 0)).get(0).outcome()).isEqualTo(SendReply.Outcome.FULL);
        List<Claim> claims = claim(10);
        assertThat(claims).hasSize(3);
        assertThat(byKey(claims)).containsOnlyKeys("a", "b");
        assertThat(claim(10)).isEmpty();
        Claim first = claims.get(0);

        List<Claim> next = bench.poll(
                        poll().acknowledge(first.id(), first.token()).claim(10))
                .claims();
        assertThat(next).hasSize(1);
        bench.limits("0 1000000 2 0");
        assertThat(claim(10)).hasSize(2);
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 1000);
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void fullMemoryStopsNoPoll() {
        bench.send(messages("a", 5));
        bench.send(messages("b", 5));
        bench.send(message("later", "a", 10));
        bench.redis().call("CONFIG", "SET", "maxmemory", 1);
        try {
            List<Claim> claims = claim(3);
            assertThat(claims).hasSize(3);
            Claim retried = claims.get(0);
            Claim dead = claims.get(1);
            bench.poll(poll().retry(retried.id(), retried.token(), 5)
                    .deadLetter(dead.id(), dead.token(), DeadLetterCause.REQUESTED));
            bench.clock(T0 + 20);
            List<Claim> rest = claim(10);
            assertThat(rest).hasSize(9);
            assertThat(bench.cancel(claims.get(2).id()).isCancelled()).isTrue();
            checkEmptyAfter(rest);
        } finally {
            bench.redis().call("CONFIG", "SET", "maxmemory", 0);
        }
    }

    @Test
    void fullMemoryStopsNoCancel() {
        bench.send(messages("a", 3));
        bench.redis().call("CONFIG", "SET", "maxmemory", 1);
        try {
            assertThat(bench.cancel("a0").isCancelled()).isTrue();
            assertThat(ids(claim(1))).containsExactly("a1");
            assertThat(bench.cancel("a1").isCancelled()).isTrue();
            assertThat(ids(claim(1))).containsExactly("a2");
        } finally {
            bench.redis().call("CONFIG", "SET", "maxmemory", 0);
        }
    }

    @Test
    void aClockThatIsSetBackLosesNothing() {
        bench.clock(T0 + 5000);
        bench.send(messages("a", 4));
        assertThat(claim(1)).hasSize(1);
        bench.clock(T0);
        bench.send(message("b", "b", 0));

        assertThat(ids(claim(10))).containsExactly("b");
        bench.clock(T0 + 5000);
        assertThat(byKey(claim(10))).isEqualTo(Map.of("a", 3));
        checkEmptyAfter(List.of());
    }

    @Test
    void keysMayHaveAnyCharacters() {
        List<String> keys = List.of("a b%\u0000\n k=x s=1", "a", "a b", "\u0001", "\u0000", "k= d=1/2", "\uD83D\uDE00");
        for (String key : keys) {
            for (int i = 0; i < 5; i++) {
                bench.send(message("m" + keys.indexOf(key) + "-" + i, key, 0));
            }
        }
        List<Claim> claims = claim(14);

        assertThat(byKey(claims).keySet()).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(byKey(claims).values()).containsOnly(2);
        claims = new ArrayList<>(claims);
        claims.addAll(claim(100));
        assertThat(claims).hasSize(35);
        checkEmptyAfter(claims);
    }

    @Test
    void movesLeadIntoAndOutOfAFairTopic() {
        Shard plain = Shard.single("plain");
        Shard ordered = bench.orderedShard();
        Calls.send(bench.store(), plain, List.of(Sends.after("p1", 0), Sends.after("p2", 0)));
        Calls.send(bench.store(), ordered, List.of(message("o1", "o", 0), message("o2", "o", 0)));
        bench.send(messages("a", 4));
        assertThat(ids(claim(1))).containsExactly("a0");

        assertThat(moved(plain, bench.shard(), "p1", "p2")).containsExactlyInAnyOrder("p1", "p2");
        assertThat(moved(ordered, bench.shard(), "o1", "o2")).containsExactlyInAnyOrder("o1", "o2");
        assertThat(moved(bench.shard(), ordered, "a1", "p1")).containsExactly("a1");
        assertThat(moved(bench.shard(), plain, "a2", "p1")).contains("p1");
        assertThat(bench.state(plain).get("messages")).containsKey("p1");
        assertThat(bench.state(ordered).get("messages")).containsOnlyKeys("a1");
        assertThat(bench.store()
                        .find(plain, "p1")
                        .join()
                        .orElseThrow()
                        .envelope()
                        .limits())
                .isEqualTo(MessageLimits.NONE);
        assertThat(ids(claim(10))).contains("p2", "o1", "o2", "a3").doesNotContain("a1", "p1");
        checkEmptyAfter(List.of());
    }

    @Test
    void aMessageThatAMoveHasTakenIsNotClaimed() {
        Shard ordered = bench.orderedShard();
        boolean[] stopped = {true};
        for (int write = 0; stopped[0]; write++) {
            bench.reset();
            bench.store().enableNotifications(ordered).join();
            bench.send(messages("a", 3));
            List<String> claimed = new ArrayList<>(ids(claim(1)));
            assertThat(claimed).containsExactly("a0");
            bench.stoppedBefore("movetake", write);
            stopped[0] = false;
            ScriptRunner repeating = call -> {
                CompletableFuture<List<Object>> reply = bench.scripts().run(call);
                if (reply.isCompletedExceptionally()) {
                    bench.undisturbed();
                    stopped[0] = true;
                    reply = bench.scripts().run(call);
                    claimed.addAll(ids(claim(10)));
                }
                return reply;
            };
            Set<String> moved = new MessageMover(
                            repeating, bench.keySpace(), bench.process().registry())
                    .move(List.of(bench.shard()), ordered.topic(), List.of("a1"), Instant.ofEpochMilli(T0 + 1))
                    .ids();
            bench.undisturbed();
            claimed.addAll(ids(claim(10)));

            assertThat(claimed).as("write " + write).contains("a0", "a2").noneMatch(moved::contains);
        }
    }

    private static Set<String> moved(Shard source, Shard target, String... ids) {
        return new MessageMover(
                        bench.scripts(), bench.keySpace(), bench.process().registry())
                .move(List.of(source), target.topic(), List.of(ids), Instant.ofEpochMilli(T0 + 1))
                .ids();
    }

    @Test
    void aDebouncedMessageWithoutAKeyStaysOne() {
        OutgoingMessage first = Sends.message("d", new Due(10, true), OnDuplicate.REPLACE, "n1");
        bench.send(first);
        bench.send(Sends.message("d", new Due(20, true), OnDuplicate.REPLACE, "n2"));
        bench.clock(T0 + 10);
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 20);

        List<Claim> claims = claim(10);
        assertThat(ids(claims)).containsExactly("d");
        checkEmptyAfter(claims);
    }

    @Test
    void aPostponedMessageLetsOthersPass() {
        bench.send(messages("a", 3));
        Claim first = claim(1).get(0);
        bench.poll(poll().postponeLettingOthersPass(first.id(), first.token(), 10));

        assertThat(ids(claim(10))).containsExactly("a1", "a2");
        assertThat(bench.store().count(bench.shard()).join().counts().parked()).isZero();
        bench.clock(T0 + 10);
        assertThat(ids(claim(10))).containsExactly("a0");
        checkEmptyAfter(List.of());
    }

    @Test
    void expiredMessagesOfAnActiveKeyCostItNoTurn() {
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
        bench.send(messages("a", 10));
        bench.send(messages("b", 20));
        bench.clock(T0 + 10);

        assertThat(byKey(claim(20))).isEqualTo(Map.of("b", 10));
        assertThat(byKey(claim(10))).isEqualTo(Map.of("a", 10));
    }

    @Test
    void aKeyWithoutDueMessagesIsNotActive() {
        bench.send(message("a0", "a", 0), message("a1", "a", 50), message("a2", "a", 60));

        assertThat(bench.poll(poll().claim(10)).nextDueMillis()).isEqualTo(T0 + 50);
        assertThat(bench.redis().call("ZCARD", bench.key("active"))).isEqualTo(1L);
    }

    @Test
    void aStalePlaceOfARetriedMessageIsNotUsed() {
        bench.send(messages("a", 2));
        claim(1);
        Object place = requireNonNull(
                ((List<?>) requireNonNull(bench.redis().call("ZRANGE", bench.key("parked"), 0, 0))).get(0));
        Claim claim = claim(1).get(0);
        bench.poll(poll().retry(claim.id(), claim.token(), 10));
        bench.send(message("a2", "a", 0));
        bench.redis().call("ZADD", bench.key("parked"), 0, place);

        for (int i = 0; i < 3; i++) {
            assertThat(ids(claim(10))).doesNotContain("a1");
        }
        bench.clock(T0 + 10);
        assertThat(ids(claim(10))).containsExactly("a1");
    }

    /** The ids that parked counts as leased, each of its key. */
    @SuppressWarnings("unchecked")
    private List<String> leasedByKey() {
        List<byte[]> members =
                (List<byte[]>) requireNonNull(bench.redis().call("ZRANGE", bench.key("parked"), "0", "-2"));
        return members.stream()
                .map(member -> new String(member, UTF_8))
                .map(member -> member.substring(member.indexOf('\1') + 1))
                .toList();
    }

    private void checkEmptyAfter(List<Claim> claims) {
        if (!claims.isEmpty()) {
            bench.poll(acknowledging(claims));
            assertThat(bench.state().get("messages")).isEmpty();
        }
        for (String name : List.of("schedule", "active", "parked.due")) {
            assertThat(bench.redis().call("ZCARD", bench.key(name))).as(name).isEqualTo(1L);
        }
        assertThat(leasedByKey()).isSubsetOf(bench.state().get("leases").keySet());
        assertThat(bench.redis().call("HLEN", bench.key("heads"))).isEqualTo(1L);
    }
}
