package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the order of keys demands of each call. The consumer {@code w1} claims in most tests. */
class OrderTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    private static final long HOUR = 3_600_000;

    private long sequence;

    private static OutgoingMessage message(String id, String key, long delay) {
        return Sends.keyed(id, key, new Due(delay, true), OnDuplicate.REJECT, "n");
    }

    private List<Claim> claim(int most) {
        return bench.poll(poll().claim(most)).claims();
    }

    private Polls poll() {
        return Polls.by("w1", ++sequence);
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    private String only(int most) {
        List<Claim> claims = claim(most);
        assertThat(claims).hasSize(1);
        return claims.get(0).token();
    }

    /** Claims a message and settles it in a poll that claims nothing. */
    private void settle(String id, BiFunction<Polls, String, Polls> settlement) {
        List<Claim> claims = claim(10);
        assertThat(ids(claims)).containsExactly(id);
        bench.poll(settlement.apply(poll(), claims.get(0).token()));
    }

    private static long ready() {
        return bench.store().count(bench.shard()).join().counts().ready();
    }

    @Test
    void ofEachKeyOneMessageIsClaimed() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("b1", "b", 0), message("a3", "a", 0));

        assertThat(ids(claim(10))).containsExactlyInAnyOrder("a1", "b1");
        assertThat(claim(10)).isEmpty();
        assertThat(ready()).isEqualTo(2);
    }

    @Test
    void thePollThatAcknowledgesClaimsTheNextOfTheKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
        String token = only(10);

        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a1", token)).claims()))
                .containsExactly("a2");
    }

    @Test
    void aUsualPollReadsTheNextMessagesOfAllKeysTogether() {
        for (String key : List.of("a", "b", "c", "d", "e", "f")) {
            bench.send(message(key + 1, key, 0), message(key + 2, key, 0));
        }
        List<Claim> claims = claim(3);
        Polls poll = poll().claim(3);
        claims.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
        Map<String, Long> commands =
                bench.commands(() -> assertThat(bench.poll(poll).claims()).hasSize(3));

        // one of them reads the clock; only the search for the next message of a key is a command for each key
        assertThat(commands)
                .containsEntry("hmget", 10L)
                .containsEntry("zrangebylex", 3L)
                .doesNotContainKeys("hget", "zscore");
        assertThat(commands.values().stream().mapToLong(calls -> calls).sum()).isEqualTo(31);
    }

    @Test
    void equalDueTimesKeepTheOrderOfArrival() {
        bench.send(IntStream.range(0, 300)
                .mapToObj(i -> message(Integer.toString(i * 7919 % 300), "a", 0))
                .toList());

        for (int i = 0; i < 300; i++) {
            List<Claim> claims = claim(10);
            assertThat(ids(claims)).containsExactly(Integer.toString(i * 7919 % 300));
            bench.poll(poll().acknowledge(claims.get(0).id(), claims.get(0).token()));
        }
        assertThat(bench.state().get("messages")).isEmpty();
    }

    @Test
    void whatIsDueEarlierGoesFirstUnlessAMessageHasStarted() {
        bench.send(message("later", "a", 20));
        bench.send(message("earlier", "a", 10));
        bench.clock(T0 + 30);
        String token = only(10);
        bench.send(Sends.keyed("past", "a", new Due(T0 - 1000, false), OnDuplicate.REJECT, "n"));

        assertThat(claim(10)).isEmpty();
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("earlier", token))
                        .claims()))
                .containsExactly("past");
    }

    @Test
    void aMessageThatIsNotDueDoesNotHoldItsKey() {
        bench.send(message("tomorrow", "a", 86_400_000));
        bench.send(message("now", "a", 0));

        assertThat(ids(claim(10))).containsExactly("now");
    }

    @Test
    void aClockThatIsSetBackReordersNothing() {
        bench.clock(T0 + 5000);
        bench.send(message("first", "a", 0));
        bench.clock(T0);
        bench.send(message("second", "a", 0));
        bench.clock(T0 + 5000);

        String token = only(10);
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("first", token)).claims()))
                .containsExactly("second");
    }

    @Test
    void aClockThatJumpedAheadDelaysNoOtherKey() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0));
        bench.clock(T0);
        bench.send(message("a2", "a", 0));
        bench.send(message("b1", "b", 0), message("a3", "a", 0), message("a4", "a", 0), message("b2", "b", 0));

        handleInOrder("b1", "b2");
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + HOUR);
        handleInOrder("a1", "a2", "a3", "a4");
        checkEmpty();
    }

    @Test
    void aClockThatIsSetBackReordersNoKeyWhoseHeadHasEnded() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        String token = only(10);
        bench.clock(T0);
        bench.send(message("a3", "a", 0));
        bench.poll(poll().acknowledge("a1", token));
        bench.send(message("a4", "a", 0));

        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + HOUR);
        handleInOrder("a2", "a3", "a4");
    }

    @Test
    void aMessageWithADelayIsPassedAlsoAfterTheClockWasSetBack() {
        bench.send(message("later", "a", 1000), message("evenLater", "a", 2000));
        bench.clock(T0 + HOUR);
        bench.send(message("b1", "b", 0));
        bench.clock(T0);
        bench.send(message("now", "a", 0));

        handleInOrder("now");
    }

    @Test
    void aMessageThatLetOthersPassIsPassedAlsoAfterTheClockWasSetBack() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0));
        settle("a1", (poll, token) -> poll.postponeLettingOthersPass("a1", token, 10));
        bench.clock(T0 + HOUR + 20);
        bench.send(message("b1", "b", 0));
        bench.clock(T0);
        bench.send(message("a2", "a", 0));

        handleInOrder("a2");
    }

    @Test
    void aReplacementDoesNotWaitForWhatItReplaces() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0));
        bench.clock(T0);
        bench.send(Sends.keyed("a1", "a", Due.NOW, OnDuplicate.REPLACE, "m"));

        handleInOrder("a1");
    }

    @Test
    void aClockThatIsSetBackReordersNoKeyWithManyDelayedMessages() {
        bench.send(IntStream.range(0, 60)
                .mapToObj(i -> message("later" + i, "a", HOUR + 10 + i))
                .toList());
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        String token = only(10);
        bench.clock(T0 + HOUR + 100);
        bench.send(message("b1", "b", 0));
        bench.clock(T0);
        bench.send(message("a3", "a", 0));
        bench.poll(poll().acknowledge("a1", token));
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + HOUR + 100);

        assertThat(handleAll()).hasSize(63).containsSubsequence("a2", "a3");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void messagesWithoutADelayAreInTheOrderOfTheirArrivalWhateverTheClock(int seed) {
        Random random = new Random(seed);
        List<String> handled = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            bench.clock(T0 + random.nextInt(random.nextInt(10) == 0 ? 1000 : 50));
            List<OutgoingMessage> messages = new ArrayList<>();
            for (int j = random.nextInt(3); j >= 0; j--) {
                boolean delayed = random.nextInt(4) == 0;
                String key = List.of("a", "b", "c").get(random.nextInt(3));
                String id = key + (delayed ? "delayed" : "") + (100 + i) + j;
                messages.add(message(id, key, delayed ? 1 + random.nextInt(200) : 0));
            }
            messages.sort(Comparator.comparing(OutgoingMessage::id));
            bench.send(messages);
            handle(claim(random.nextInt(3)), handled);
        }
        bench.clock(T0 + HOUR);
        handled.addAll(handleAll());

        for (String key : List.of("a", "b", "c")) {
            assertThat(handled.stream().filter(id -> id.matches(key + "\\d+"))).isSorted();
        }
        checkEmpty();
    }

    @Test
    void aReplyHasTheDueTimeThatASetBackClockMoved() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        bench.clock(T0);

        assertThat(replies(message("b1", "b", 0), message("a3", "a", 0), message("a4", "a", 5)))
                .containsExactly("ACCEPTED 0", "ACCEPTED " + HOUR, "ACCEPTED 5");
        assertThat(replies(
                        Sends.keyed("a2", "a", Due.NOW, OnDuplicate.REPLACE, "m"),
                        Sends.keyed("a2b", "a", Due.NOW, OnDuplicate.REPLACE, "m"),
                        Sends.keyed("a3", "a", Due.NOW, OnDuplicate.KEEP, "m"),
                        Sends.keyed("b1", "b", Due.NOW, OnDuplicate.REPLACE, "m")))
                .containsExactly("REPLACED " + HOUR, "ACCEPTED " + HOUR, "KEPT 0", "REPLACED 0");
        assertThat(replies(message("a2b", "a", 0))).containsExactly("DUPLICATE 0");
        for (int i = 0; i < 2; i++) {
            bench.clock(T0 + i);
            assertThat(replies(Sends.remembered(message("a5", "a", 0)))).containsExactly("ACCEPTED " + HOUR);
        }
    }

    @Test
    void aReplyHasTheDueTimeOfASuccessorThatASetBackClockMoved() {
        bench.clock(T0 + HOUR);
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        only(10);
        bench.clock(T0);

        assertThat(replies(Sends.keyed("a1", "a", Due.NOW, OnDuplicate.AFTER_RUNNING, "m")))
                .containsExactly("ACCEPTED " + HOUR);
        assertThat(replies(Sends.keyed("a1", "a", Due.NOW, OnDuplicate.AFTER_RUNNING, "o")))
                .containsExactly("REPLACED " + HOUR);
    }

    /** The outcomes of a send, and due times from the first on. */
    private static List<String> replies(OutgoingMessage... messages) {
        return bench.send(messages).stream()
                .map(reply -> reply.outcome() + " " + (reply.dueAt().toEpochMilli() - T0))
                .toList();
    }

    /** Acknowledges claimed messages. */
    private void handle(List<Claim> claims, List<String> handled) {
        Polls poll = poll();
        claims.forEach(claim -> {
            handled.add(claim.id());
            poll.acknowledge(claim.id(), claim.token());
        });
        bench.poll(poll);
    }

    /** Claims and acknowledges all messages that are due. Returns their ids. */
    private List<String> handleAll() {
        List<String> handled = new ArrayList<>();
        for (List<Claim> claims = claim(10); !claims.isEmpty(); claims = claim(10)) {
            handle(claims, handled);
        }
        return handled;
    }

    /** Claims and acknowledges messages, of which only one is claimable at a time. */
    private void handleInOrder(String... ids) {
        for (String id : ids) {
            settle(id, (poll, token) -> poll.acknowledge(id, token));
        }
    }

    @Test
    void aRetryHoldsTheKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        settle("a1", (poll, token) -> poll.retry("a1", token, 1000));

        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 1000);
        assertThat(ids(claim(10))).containsExactly("a1");
    }

    @Test
    void postponeReleaseAndHoldHoldTheKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        settle("a1", (poll, token) -> poll.postpone("a1", token, 10, 0));
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 10);
        settle("a1", (poll, token) -> poll.release("a1", token, 10));
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 20);
        settle("a1", (poll, token) -> poll.hold("a1", token, 10));
        assertThat(claim(10)).isEmpty();
        bench.clock(T0 + 30);

        assertThat(ids(claim(10))).containsExactly("a1");
    }

    @Test
    void aPostponedMessageMayLetOthersPass() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 20));
        settle("a1", (poll, token) -> poll.postponeLettingOthersPass("a1", token, 10));
        assertThat(ids(claim(10))).containsExactly("a2");
        bench.clock(T0 + 10);
        assertThat(claim(10)).isEmpty();
        bench.poll(poll().acknowledge("a2", "w1-3"));

        List<Claim> claims = claim(10);
        assertThat(ids(claims)).containsExactly("a1");
        assertThat(claims.get(0).postponements()).isOne();
    }

    @Test
    void aCrashHoldsTheKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        only(10);
        bench.clock(T0 + 30_000);

        assertThat(bench.poll(poll().claim(10).gap(Duration.ofHours(1))).reclaimed())
                .containsExactly("a1");
        assertThat(ids(claim(10))).containsExactly("a1");
    }

    @Test
    void aRescheduledMessageLetsGo() {
        bench.send(message("a1", "a", 0), message("a2", "a", 5));
        bench.reschedule("a1", new Due(10, true));
        bench.clock(T0 + 5);
        String token = only(10);
        assertThat(token).isNotNull();
        bench.clock(T0 + 10);

        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a2", token)).claims()))
                .containsExactly("a1");
    }

    @Test
    void aParkedMessageIsRescheduledBeforeItsHead() {
        bench.send(message("a1", "a", 5), message("a2", "a", 10));
        bench.reschedule("a2", Due.NOW);

        assertThat(ids(claim(10))).containsExactly("a2");
    }

    @Test
    void endsReleaseTheKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0), message("a4", "a", 0));
        settle("a1", (poll, token) -> poll.deadLetter("a1", token, DeadLetterCause.REQUESTED));
        only(10);
        bench.cancel("a2");
        String token = only(10);
        bench.poll(poll().acknowledge("a3", token));

        assertThat(ids(claim(10))).containsExactly("a4");
    }

    @Test
    void aCancelledParkedMessageIsGone() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
        bench.cancel("a2");
        String token = only(10);
        List<Claim> claims =
                bench.poll(poll().claim(10).acknowledge("a1", token)).claims();
        assertThat(ids(claims)).containsExactly("a3");
        bench.poll(poll().acknowledge("a3", claims.get(0).token()));
        checkEmpty();
    }

    @Test
    void aReplacedMessageMovesToItsNewKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("b1", "b", 0));
        bench.send(Sends.keyed("a1", "b", Due.NOW, OnDuplicate.REPLACE, "m"));

        assertThat(ids(claim(10))).containsExactlyInAnyOrder("a2", "b1");
    }

    @Test
    void aReplacedParkedMessageJoinsAtTheEnd() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
        bench.send(Sends.keyed("a2", "a", Due.NOW, OnDuplicate.REPLACE, "m"));
        String token = only(10);

        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a1", token)).claims()))
                .containsExactly("a3");
    }

    @Test
    void aSuccessorMayHaveAnotherKey() {
        bench.send(message("x", "a", 0), message("a2", "a", 0), message("b1", "b", 0));
        List<Claim> claims = claim(10);
        bench.send(Sends.keyed("x", "b", Due.NOW, OnDuplicate.AFTER_RUNNING, "m"));
        bench.poll(poll().acknowledge("x", claims.get(0).token()));

        assertThat(ids(claim(10))).containsExactly("a2");
        assertThat(ids(bench.poll(
                                poll().claim(10).acknowledge("b1", claims.get(0).token()))
                        .claims()))
                .containsExactly("x");
    }

    @Test
    void aReplayJoinsAtTheEnd() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
        settle("a1", (poll, token) -> poll.deadLetter("a1", token, DeadLetterCause.REQUESTED));
        String deadLetter = bench.state().get("deadLetters").keySet().iterator().next();
        bench.store().replay(bench.shard(), List.of(deadLetter), Due.NOW).join();

        for (String id : List.of("a2", "a3", "a1")) {
            List<Claim> claims = claim(10);
            assertThat(ids(claims)).containsExactly(id);
            bench.poll(poll().acknowledge(id, claims.get(0).token()));
        }
        checkEmpty();
    }

    @Test
    void expiredHeadsArePassedWithinOneClaim() {
        MessageLimits expiring = new MessageLimits(null, null, Duration.ofMillis(5), null);
        for (int i = 0; i < 300; i++) {
            bench.send(OutgoingMessage.of(
                    "x" + i, Due.NOW, OnDuplicate.REJECT, "n", expiring, "a", Map.of(), new byte[0]));
        }
        bench.send(message("a1", "a", 0), message("b1", "b", 0));
        bench.clock(T0 + 10);

        assertThat(ids(claim(10))).containsExactlyInAnyOrder("a1", "b1");
        assertThat(bench.store().count(bench.shard()).join().counts().dead()).isEqualTo(300);
    }

    @Test
    void theHeadOfABlockedKeyHidesNoOtherKey() {
        bench.send(
                IntStream.range(0, 500).mapToObj(i -> message("a" + i, "a", 0)).toList());
        bench.send(message("b1", "b", 1));
        bench.clock(T0 + 1);
        claim(1);

        assertThat(ids(claim(1))).containsExactly("b1");
    }

    @Test
    void oneConsumerPromotesForAnother() {
        bench.send(message("a1", "a", 0), message("a2", "a", 10));
        String token = only(10);
        bench.clock(T0 + 20);

        assertThat(bench.signals(
                        store -> bench.poll(poll().acknowledge("a1", token).signalDueMessagesLeft())))
                .contains("s orders:0.0 w1");
    }

    @Test
    void keysMayHaveAnyCharacters() {
        String key = "a b%\u0000\n k=x s=1";
        bench.send(message("a1", key, 0), message("a2", key, 0), message("a3", "a", 0));

        List<Claim> claims = claim(10);
        assertThat(ids(claims)).containsExactlyInAnyOrder("a1", "a3");
        assertThat(claims.get(0).envelope().key()).isIn(key, "a");
        bench.poll(poll().acknowledge("a1", claims.get(0).token()));
        assertThat(ids(claim(10))).containsExactly("a2");
    }

    @Test
    void parkedMessagesAreListedInTheOrderOfTheirDueTimes() {
        bench.send(message("a1", "a", 0), message("c1", "c", 5), message("a3", "a", 30), message("b1", "b", 20));
        bench.send(message("a2", "a", 0), message("c2", "c", 6), message("b2", "b", 25), message("c3", "c", 40));
        bench.clock(T0 + 10);

        for (int page = 1; page < 5; page++) {
            assertThat(listed(MessageState.READY, page)).containsExactly("a1", "a2", "c1", "c2");
            assertThat(listed(MessageState.SCHEDULED, page)).containsExactly("b1", "b2", "a3", "c3");
        }
        assertThat(parked(MessageState.READY)).containsExactly("a2", "c2");
        assertThat(parked(MessageState.SCHEDULED)).containsExactly("b2", "a3", "c3");
    }

    /** The ids of the parked messages of a state, as the list and the messages themselves say. */
    private static List<String> parked(MessageState state) {
        List<MessageSnapshot> listed =
                bench.reader().list(bench.shard(), state, null, 10).join().messages();
        assertThat(listed)
                .allSatisfy(message -> assertThat(
                                bench.store().find(bench.shard(), message.id()).join())
                        .hasValueSatisfying(found -> assertThat(found.parked()).isEqualTo(message.parked())));
        return listed.stream()
                .filter(MessageSnapshot::parked)
                .map(MessageSnapshot::id)
                .toList();
    }

    /** The ids of all pages. */
    private static List<String> listed(MessageState state, int count) {
        List<String> ids = new ArrayList<>();
        Listing.Place after = null;
        do {
            Listing listing =
                    bench.reader().list(bench.shard(), state, after, count).join();
            listing.messages().forEach(message -> ids.add(message.id()));
            after = listing.next();
        } while (after != null);
        return ids;
    }

    @Test
    void parkedMessagesAreCountedByTheirDueTimes() {
        bench.send(
                message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 30_000), message("a4", "a", 90_000));
        bench.clock(T0 + 1000);
        only(1);

        TopicCounts counts = bench.store().count(bench.shard()).join().counts();
        assertThat(List.of(counts.leased(), counts.ready(), counts.scheduled(), counts.parked()))
                .containsExactly(1L, 1L, 2L, 1L);
        assertThat(counts.lag()).isEqualTo(Duration.ofSeconds(1));
        assertThat(counts.latestDue()).isEqualTo(Instant.ofEpochMilli(T0 + 90_000));
        Forecast forecast = bench.reader()
                .upcoming(bench.shard(), Duration.ofMinutes(1), 2)
                .join()
                .orElseThrow();
        assertThat(forecast.overdue()).isOne();
        assertThat(forecast.counts()).containsExactly(1L, 1L);
        assertThat(bench.store().find(bench.shard(), "a4").join().orElseThrow().dueAt())
                .isEqualTo(Instant.ofEpochMilli(T0 + 90_000));
    }

    @Test
    void parkedMessagesCountForTheLimitOfMessages() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
        bench.limit(3);

        assertThat(bench.send(message("a4", "a", 0)).get(0).outcome()).isEqualTo(SendReply.Outcome.FULL);
        bench.cancel("a2");
        assertThat(bench.send(message("a5", "a", 0)).get(0).outcome()).isEqualTo(SendReply.Outcome.ACCEPTED);
    }

    @Test
    void sendsAndCancelsAreRemembered() {
        OutgoingMessage remembered = Sends.remembered(message("a1", "a", 0));
        bench.send(message("a0", "a", 0));
        bench.send(remembered);
        Memory once = new Memory("cancel", Duration.ofMinutes(1));
        assertThat(bench.store()
                        .cancel(bench.shard(), "a1", once, Durability.NONE)
                        .join())
                .isEqualTo(CancelOutcome.CANCELLED);

        assertThat(bench.send(remembered).get(0).repeated()).isTrue();
        assertThat(bench.store()
                        .cancel(bench.shard(), "a1", once, Durability.NONE)
                        .join())
                .isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(bench.state().get("messages")).containsOnlyKeys("a0");
    }

    @Test
    void movesTakeHeadsAndParkedMessages() {
        Shard target = Shard.single("target");
        bench.store().enableNotifications(target).join();
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0), message("a4", "a", 0));

        assertThat(moved(List.of(bench.shard()), target, "a1", "a3")).containsExactlyInAnyOrder("a1", "a3");
        assertThat(bench.state(target).get("messages")).containsOnlyKeys("a1", "a3");
        String token = only(10);
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a2", token)).claims()))
                .containsExactly("a4");
    }

    @Test
    void movesIntoAnOrderedTopicNeedKeysAndJoinInTheirOrder() {
        Shard source = Shard.single("source");
        Shard ordered = bench.orderedShard();
        Calls.send(bench.store(), source, List.of(Sends.after("plain", 0)));
        bench.send(message("a1", "a", 0));

        assertThat(moved(List.of(source), bench.shard(), "plain")).isEmpty();
        assertThat(bench.state(source).get("schedule")).containsOnlyKeys("plain");
        Calls.send(bench.store(), ordered, List.of(message("a2", "a", 0), message("a3", "a", 0)));
        assertThat(moved(List.of(ordered), bench.shard(), "a3", "a2")).containsExactlyInAnyOrder("a2", "a3");
        String token = only(10);
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a1", token)).claims()))
                .containsExactly("a3");
    }

    @Test
    void refusedMessagesOfAMoveAreParkedAgain() {
        Shard target = Shard.single("target");
        Calls.send(bench.store(), target, List.of(Sends.after("other", 0)));
        bench.limit(target, 1);
        bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));

        assertThat(moved(List.of(bench.shard()), target, "a1", "a2")).isEmpty();
        assertThat(bench.state().get("schedule")).containsOnlyKeys("a1");
        for (String id : List.of("a1", "a2", "a3")) {
            settle(id, (poll, token) -> poll.acknowledge(id, token));
        }
        checkEmpty();
    }

    @Test
    void aMessageThatAScriptLeftInTheScheduleIsParkedAgain() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        String token = only(10);
        bench.redis().call("ZADD", bench.key("schedule"), T0, "a2");

        PollReply reply = bench.poll(poll().claim(10));
        assertThat(reply.claims()).isEmpty();
        assertThat(reply.nextDueMillis()).isEqualTo(PollReply.NEVER);
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a1", token)).claims()))
                .containsExactly("a2");
    }

    @Test
    void whatACancelThatStoppedLeftIsRemoved() {
        bench.send(message("a1", "a", 0), message("a2", "a", 20));
        settle("a1", (poll, token) -> poll.retry("a1", token, 10));
        bench.reschedule("a1", new Due(30, true));
        bench.stoppedBefore("cancel", 2);
        assertThat(bench.stops(() -> bench.cancel("a1"))).isTrue();
        bench.undisturbed();
        assertThat(bench.state().get("deliveries")).containsOnlyKeys("a1");
        bench.clock(T0 + 20);

        settle("a2", (poll, token) -> poll.acknowledge("a2", token));
        checkEmpty();
    }

    @Test
    void aMessageThatAMoveHasTakenDoesNotFollowInItsKey() {
        Shard target = bench.orderedShard();
        boolean[] stopped = {true};
        for (int write = 0; stopped[0]; write++) {
            bench.reset();
            bench.store().enableNotifications(target).join();
            bench.send(message("a1", "a", 0), message("a2", "a", 0), message("a3", "a", 0));
            String token = only(10);
            List<String> claimed = new ArrayList<>();
            bench.stoppedBefore("movetake", write);
            stopped[0] = false;
            ScriptRunner repeating = call -> {
                CompletableFuture<List<Object>> reply = bench.scripts().run(call);
                if (reply.isCompletedExceptionally()) {
                    bench.undisturbed();
                    stopped[0] = true;
                    reply = bench.scripts().run(call);
                    claimed.addAll(ids(bench.poll(poll().claim(10).acknowledge("a1", token))
                            .claims()));
                }
                return reply;
            };
            Set<String> moved = new MessageMover(
                            repeating, bench.keySpace(), bench.process().registry())
                    .move(List.of(bench.shard()), target.topic(), List.of("a2"), Instant.ofEpochMilli(T0 + 1))
                    .ids();
            bench.undisturbed();

            assertThat(claimed).as("write " + write).noneMatch(moved::contains);
        }
    }

    private static Set<String> moved(List<Shard> source, Shard target, String... ids) {
        return new MessageMover(
                        bench.scripts(), bench.keySpace(), bench.process().registry())
                .move(source, target.topic(), List.of(ids), Instant.ofEpochMilli(T0 + 1))
                .ids();
    }

    @Test
    void messagesWithoutKeysAreRejectedAndOthersSent() {
        assertThat(bench.send(Sends.after("plain", 0), message("a1", "a", 0)))
                .extracting(reply -> reply.outcome().name())
                .containsExactly("KEY_MISSING", "ACCEPTED");
        assertThat(ids(claim(10))).containsExactly("a1");
    }

    @Test
    void anEmptyTopicLeavesNoKeys() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        bench.cancel("a1");
        bench.cancel("a2");
        checkEmpty();
        assertThat(bench.process().deletion().delete("orders")).isTrue();

        assertThat((List<?>) requireNonNull(bench.redis().call("KEYS", "dq:{orders*")))
                .extracting(key -> new String((byte[]) key, UTF_8))
                .containsExactly("dq:{orders:0.0}:ended");
    }

    @Test
    void fullMemoryStopsNoCancel() {
        bench.send(message("a", "k", 0), message("b", "k", 0), message("c", "k", 0));
        bench.redis().call("CONFIG", "SET", "maxmemory", 1);
        try {
            assertThat(bench.cancel("a").isCancelled()).isTrue();
            assertThat(ids(claim(10))).containsExactly("b");
            assertThat(bench.cancel("b").isCancelled()).isTrue();
            assertThat(ids(claim(10))).containsExactly("c");
        } finally {
            bench.redis().call("CONFIG", "SET", "maxmemory", 0);
        }
    }

    private static void checkEmpty() {
        checkEmpty(bench);
    }

    /** Only the sentinels are left. */
    static void checkEmpty(StoreBench bench) {
        for (String name : List.of("schedule", "leases", "parked", "parked.due")) {
            assertThat(bench.redis().call("ZCARD", bench.key(name))).as(name).isEqualTo(1L);
        }
        for (String name : List.of("messages", "deliveries", "heads")) {
            assertThat(bench.redis().call("HLEN", bench.key(name))).as(name).isEqualTo(1L);
        }
    }
}
