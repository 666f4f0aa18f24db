package io.delayqueue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Failure;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.PollReply.DeadLettered;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.ShardSession.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardSessionTests {

    private static final Reclaiming RECLAIMING =
            new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofSeconds(6), Duration.ZERO);

    private long nanos;
    private final List<PollRequest> sent = new ArrayList<>();
    private final List<String> published = new ArrayList<>();
    private CompletableFuture<Optional<PollReply>> next = new CompletableFuture<>();
    private final ShardSession session = new ShardSession(
            request -> {
                sent.add(request);
                return next;
            },
            "me",
            new AtomicLong()::incrementAndGet,
            () -> nanos,
            new EventBus(List.of(new RecordedEvents())),
            new Recipient("t", QueueKind.MESSAGES, null),
            completions -> completions.forEach(Runnable::run));

    private final class RecordedEvents implements DelayQueueEvents {

        @Override
        public void released(Recipient recipient, String id) {
            published.add("released " + id);
        }

        @Override
        public void settlementRejected(Recipient recipient, String id, Duration handling) {
            published.add("gone " + id);
        }

        @Override
        public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, Duration handling) {
            published.add("deadLettered " + id + " " + cause);
        }
    }

    private static PendingSettlement settlement(Settlement settlement, long at, int bytes) {
        return new PendingSettlement(settlement, null, at, bytes, null, new CompletableFuture<>());
    }

    private static PendingSettlement acknowledge(String id, long at) {
        return settlement(new Settlement.Acknowledge(id, "token"), at, 0);
    }

    private static PendingSettlement deadLetter(String id, int bytes) {
        return settlement(
                new Settlement.ToDeadLetters(id, "token", DeadLetterCause.REQUESTED, new Failure("", "")), 0, bytes);
    }

    private Poll begin() {
        return session.begin(Claiming.NOTHING, RECLAIMING, false, List.of());
    }

    private List<String> polled() {
        List<String> ids =
                begin().request().settlements().stream().map(Settlement::id).toList();
        session.end();
        return ids;
    }

    private CompletableFuture<Optional<PollReply>> send(Poll poll) {
        next = new CompletableFuture<>();
        return session.send(poll);
    }

    private void fail(Poll poll, RuntimeException failure) {
        CompletableFuture<?> call = send(poll);
        next.completeExceptionally(failure);
        assertThat(call).isCompletedExceptionally();
    }

    private static PollReply reply(List<Settlement> rejected) {
        return new PollReply(
                1_000_000,
                PollReply.NEVER,
                PollReply.NEVER,
                List.of(),
                rejected,
                List.of(),
                List.of(),
                false,
                false,
                null);
    }

    @Test
    void settlementsLeaveInTheirOrderAsManyAsAPollTakes() {
        IntStream.range(0, PollRequest.MAX_BATCH + 1).forEach(i -> session.add(acknowledge("m" + i, i)));
        assertThat(polled()).hasSize(PollRequest.MAX_BATCH).first().isEqualTo("m0");
        assertThat(session.size()).isEqualTo(1);
        assertThat(polled()).containsExactly("m" + PollRequest.MAX_BATCH);
        assertThat(session.size()).isZero();
        assertThat(session.hasPendingSettlements()).isFalse();
    }

    @Test
    void renewalsAndExtensionsTogetherAreAsManyAsAPollTakes() {
        Settlement.Extend extension = new Settlement.Extend("a", "token", Duration.ofMinutes(1));
        session.add(settlement(extension, 0, 0));
        List<Settlement.Extend> renewals = IntStream.range(0, PollRequest.MAX_BATCH)
                .mapToObj(i -> new Settlement.Extend("m" + i, "token", Duration.ofSeconds(30)))
                .toList();
        assertThat(session.begin(Claiming.NOTHING, RECLAIMING, false, renewals)
                        .request()
                        .extensions())
                .isEqualTo(renewals);
        session.end();
        assertThat(begin().request().extensions()).containsExactly(extension);
    }

    @Test
    void settlementsThatReadMessagesAreBoundedInBytesButAtLeastOneIsSent() {
        int half = PollRequest.MAX_BYTES / 2;
        session.add(deadLetter("a", 2 * PollRequest.MAX_BYTES));
        session.add(deadLetter("b", half));
        session.add(settlement(new Settlement.Acknowledge("c", "token"), 0, 2 * PollRequest.MAX_BYTES));
        session.add(deadLetter("d", half + 1));
        assertThat(polled()).containsExactly("a");
        assertThat(polled()).containsExactly("b", "c");
        assertThat(polled()).containsExactly("d");
    }

    @Test
    void secondSettlementOfALeaseWaitsForTheNextPoll() {
        session.add(acknowledge("a", 0));
        session.add(acknowledge("b", 0));
        session.add(new PendingSettlement(
                new Settlement.Extend("a", "token", Duration.ofMinutes(1)),
                null,
                0,
                0,
                null,
                new CompletableFuture<>()));
        assertThat(polled()).containsExactly("a", "b");
        assertThat(begin().request().extensions()).extracting(Settlement::id).containsExactly("a");
    }

    @Test
    void deadLetterByThePollThatRejectsASettlementOfItsMessageIsPublished() {
        session.add(deadLetter("rejected", 0));
        session.add(deadLetter("accepted", 0));
        Poll poll = begin();

        session.publish(
                poll,
                new PollReply(
                        1_000_000,
                        PollReply.NEVER,
                        PollReply.NEVER,
                        List.of(),
                        List.of(poll.request().settlements().get(0)),
                        List.of(),
                        List.of(
                                new DeadLettered("accepted", DeadLetterCause.REQUESTED),
                                new DeadLettered("rejected", DeadLetterCause.CRASHED)),
                        false,
                        false,
                        null));

        assertThat(published)
                .containsExactly("gone rejected", "deadLettered accepted REQUESTED", "deadLettered rejected CRASHED");
    }

    @Test
    void ageIsThatOfTheOldest() {
        assertThat(session.oldestGivenAt(7)).isEqualTo(7);
        session.add(acknowledge("a", 100));
        session.add(acknowledge("b", 200));
        assertThat(session.oldestGivenAt(7)).isEqualTo(100);
    }

    @Test
    void noneIsLostOrDoubledWhileManyAdd() throws Exception {
        int each = 2_000;
        ConcurrentHashMap.KeySetView<String, Boolean> taken = ConcurrentHashMap.newKeySet();
        List<Thread> adders = IntStream.range(0, 4)
                .mapToObj(t -> new Thread(() ->
                        IntStream.range(0, each).forEach(i -> session.add(acknowledge(t + "-" + i, i)))))
                .toList();
        adders.forEach(Thread::start);
        int doubled = 0;
        while (taken.size() < 4 * each) {
            for (String id : polled()) {
                doubled += taken.add(id) ? 0 : 1;
            }
        }
        for (Thread adder : adders) {
            adder.join();
        }
        assertThat(doubled).isZero();
        assertThat(session.size()).isZero();
    }

    @Test
    void pollWithoutAReplyIsRepeatedAsItIs() {
        session.add(acknowledge("a", 0));
        Poll poll = begin();
        fail(poll, new RedisCallException(Kind.UNKNOWN, "no reply", null));
        session.add(acknowledge("b", 0));

        assertThat(session.inProgress()).isSameAs(poll);
        assertThat(poll.mayHaveRun()).isTrue();
        assertThatThrownBy(this::begin).isInstanceOf(IllegalStateException.class);
        CompletableFuture<?> call = send(poll);
        next.complete(Optional.of(reply(List.of())));

        assertThat(call).isCompleted();
        assertThat(sent).hasSize(2).allMatch(request -> request.equals(sent.get(0)));
        session.end();
        assertThat(polled()).containsExactly("b");
    }

    @Test
    void pollThatRedisHasNotReceivedMayBeWithdrawn() {
        session.add(acknowledge("a", 0));
        session.add(acknowledge("b", 0));
        Poll poll = begin();
        session.add(acknowledge("c", 0));
        fail(poll, new RedisCallException(Kind.NOT_SENT, "no connection", null));
        assertThat(poll.isReceived()).isFalse();

        session.withdraw();

        assertThat(session.inProgress()).isNull();
        assertThat(polled()).containsExactly("a", "b", "c");
    }

    @Test
    void consumerWithAStalePollContinuesUnderANewName() {
        session.add(acknowledge("a", 0));
        fail(begin(), new TopicConflictException("a later poll"));

        Poll renamed = session.inProgress();
        assertThat(renamed).isNotNull();
        assertThat(renamed.request().consumer()).isEqualTo("me.1");
        assertThat(renamed.request().settlements()).extracting(Settlement::id).containsExactly("a");
        assertThat(renamed.request().sequence()).isGreaterThan(sent.get(0).sequence());
    }

    @Test
    void eachPollSaysWhenTheLastOneRan() {
        Poll first = begin();
        CompletableFuture<?> call = send(first);
        next.complete(Optional.of(reply(List.of())));
        assertThat(call).isCompleted();
        session.end();
        nanos += Duration.ofSeconds(7).toNanos();
        CompletableFuture<?> again = send(begin());

        assertThat(again).isNotDone();
        assertThat(sent.get(0).sinceLastPoll()).isNull();
        assertThat(sent.get(1).sinceLastPoll()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void eachSettlementIsCompletedWithItsResult() {
        PendingSettlement accepted = settlement(new Settlement.Release("a", "token"), 0, 0);
        PendingSettlement rejected = acknowledge("b", 0);
        session.add(accepted);
        session.add(rejected);
        Poll poll = begin();
        session.end();

        session.publish(poll, reply(List.of(new ArrayList<>(poll.request().settlements()).get(1))));

        assertThat(accepted.accepted()).isCompletedWithValue(true);
        assertThat(rejected.accepted()).isCompletedWithValue(false);
        assertThat(published).containsExactly("released a", "gone b");
    }
}
