package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Timing;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Recurrences.Action;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules of recurring messages, one by one, in a topic of each kind. */
abstract class RecurrenceContract {

    private static final Timing EACH_MINUTE = Timing.every(Duration.ofMinutes(1));
    private static final long MINUTE = 60_000;

    private final StoreBench bench;
    private final @Nullable String key;
    private long sequence;
    private int puts;

    /**
     * Creates the contract.
     *
     * @param key of all messages; null in a topic without keys
     */
    RecurrenceContract(StoreBench bench, @Nullable String key) {
        this.bench = bench;
        this.key = key;
    }

    private Optional<Schedule.Result> put(String id, Timing timing, String payload) {
        return put(id, timing, payload, MessageLimits.NONE);
    }

    private Optional<Schedule.Result> put(String id, Timing timing, String payload, MessageLimits limits) {
        String nonce = "p" + ++puts;
        OutgoingMessage message = OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, nonce, limits, key, Map.of("tags", "vip"), payload.getBytes(UTF_8));
        return Await.result(bench.process()
                .recurrences()
                .put(bench.shard(), message, nonce, timing, Instant.ofEpochMilli(T0), Durability.NONE));
    }

    private boolean change(String id, Action action) {
        return Await.result(bench.process().recurrences().change(bench.shard(), id, action, Durability.NONE));
    }

    private Schedule.Snapshot schedule(String id) {
        return Await.result(bench.process().recurrences().find(bench.shard(), id))
                .orElseThrow();
    }

    private @Nullable Instant due(String id) {
        MessageSnapshot occurrence = schedule(id).occurrence();
        return occurrence == null ? null : occurrence.dueAt();
    }

    private static Instant at(long millis) {
        return Instant.ofEpochMilli(T0 + millis);
    }

    private Polls poll() {
        return Polls.by("w1", ++sequence).gap(Duration.ofDays(1));
    }

    private Claim claimAt(long millis) {
        bench.clock(T0 + millis);
        return claim().orElseThrow();
    }

    private Optional<Claim> claim() {
        PollReply reply = bench.poll(poll().claim(10));
        assertThat(reply.claims()).hasSizeLessThan(2);
        return reply.claims().stream().findFirst();
    }

    private void acknowledgeAt(long millis, Claim claim) {
        bench.clock(T0 + millis);
        assertThat(bench.poll(poll().acknowledge(claim.id(), claim.token())).rejected())
                .isEmpty();
    }

    private OutgoingMessage ordinary(String id, long due) {
        return Sends.keyed(id, key, new Due(due, false), OnDuplicate.REJECT, "n");
    }

    private static String payload(Claim claim) {
        return new String(EnvelopeFormat.read(claim.stored()).payload(), UTF_8);
    }

    private static @Nullable Instant slot(Claim claim) {
        return EnvelopeFormat.read(claim.stored()).slot();
    }

    @Test
    void anOccurrenceFollowsTheOther() {
        assertThat(put("a", EACH_MINUTE, "p")).contains(created(MINUTE));

        Claim first = claimAt(MINUTE);
        assertThat(schedule("a").occurrence())
                .extracting(MessageSnapshot::state, MessageSnapshot::successor)
                .containsExactly(MessageState.LEASED, null);
        assertThat(payload(first)).isEqualTo("p");
        assertThat(slot(first)).isEqualTo(at(MINUTE));
        assertThat(claim()).isEmpty();
        acknowledgeAt(MINUTE + 500, first);

        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        Claim second = claimAt(2 * MINUTE);
        assertThat(slot(second)).isEqualTo(at(2 * MINUTE));
        assertThat(EnvelopeFormat.read(second.stored()).sentAt()).isEqualTo(at(MINUTE + 500));
        assertThat(EnvelopeFormat.read(second.stored()).headers()).containsExactly(Map.entry("tags", "vip"));
        acknowledgeAt(2 * MINUTE, second);
        assertThat(due("a")).isEqualTo(at(3 * MINUTE));
        assertThat(schedule("a"))
                .extracting(Schedule.Snapshot::skipped, Schedule.Snapshot::outcome, Schedule.Snapshot::succeededAt)
                .containsExactly(0L, Schedule.Snapshot.Ending.ACKNOWLEDGED, at(2 * MINUTE));
    }

    private static Schedule.Result created(long next) {
        return new Schedule.Result(Schedule.Result.Outcome.CREATED, at(next));
    }

    @Test
    void slotsThatPassWhileOneIsHandledAreSkippedAndCounted() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        acknowledgeAt(4 * MINUTE + 1, claim);

        assertThat(due("a")).isEqualTo(at(5 * MINUTE));
        assertThat(schedule("a").skipped()).isEqualTo(3);
    }

    @Test
    void whatWasMissedWhileNothingRanComesOnce() {
        put("a", EACH_MINUTE, "p");

        Claim late = claimAt(10 * MINUTE + 1);
        assertThat(slot(late)).isEqualTo(at(MINUTE));
        acknowledgeAt(10 * MINUTE + 2, late);

        assertThat(due("a")).isEqualTo(at(11 * MINUTE));
        assertThat(schedule("a").skipped()).isEqualTo(9);
    }

    @Test
    void slotsThatPassBeforeItIsRearmedComeOnce() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        bench.stoppedBefore("rearm", 0);
        acknowledgeAt(MINUTE + 1, claim);
        assertThat(schedule("a").occurrence()).isNull();
        bench.undisturbed();

        bench.clock(T0 + 5 * MINUTE + 30_000);
        assertThat(claim()).isEmpty();
        assertThat(due("a")).isEqualTo(at(5 * MINUTE));
        assertThat(schedule("a").skipped()).isEqualTo(3);
        assertThat(claim()).get().extracting(RecurrenceContract::slot).isEqualTo(at(5 * MINUTE));
    }

    @Test
    void aRearmThatStopsAnywhereIsCompletedWithTheSameSlot() {
        for (int write = 0; ; write++) {
            bench.reset();
            put("a", EACH_MINUTE, "p");
            Claim claim = claimAt(MINUTE);
            bench.stoppedBefore("rearm", write);
            acknowledgeAt(MINUTE, claim);
            bench.undisturbed();
            if (write > 0 && due("a") != null && bench.redis().call("HGET", bench.key("deliveries"), "a") == null) {
                assertThat(write).isGreaterThan(4);
                return;
            }
            bench.clock(T0 + 2 * MINUTE + 1);
            Claim next = claim().or(this::claim).orElseThrow();
            assertThat(slot(next)).as("stopped before write " + write).isEqualTo(at(2 * MINUTE));
            assertThat(schedule("a").skipped()).isZero();
            acknowledgeAt(2 * MINUTE + 2, next);
            assertThat(due("a")).isEqualTo(at(3 * MINUTE));
        }
    }

    @Test
    void aRetryAPostponementAReleaseAndACrashAreNoEnds() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        bench.poll(poll().retry("a", claim.token(), 2 * MINUTE));
        assertThat(due("a")).isEqualTo(at(3 * MINUTE));
        claim = claimAt(3 * MINUTE);
        assertThat(slot(claim)).isEqualTo(at(MINUTE));
        assertThat(claim.attempt()).isEqualTo(2);
        bench.poll(poll().release("a", claim.token()));
        claim = claim().orElseThrow();
        bench.clock(T0 + 4 * MINUTE);
        assertThat(bench.poll(poll()).reclaimed()).containsExactly("a");
        claim = claim().orElseThrow();
        acknowledgeAt(4 * MINUTE, claim);

        assertThat(due("a")).isEqualTo(at(5 * MINUTE));
        assertThat(claimAt(5 * MINUTE).attempt()).isEqualTo(1);
    }

    @Test
    void aDeadLetterIsAnEndAndCannotBeReplayedWhileTheScheduleExists() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        bench.poll(poll().deadLetter("a", claim.token(), DeadLetterCause.NOT_RETRYABLE));

        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        assertThat(schedule("a").outcome()).isEqualTo(Schedule.Snapshot.Ending.DEAD_LETTERED);
        assertThat(schedule("a").succeededAt()).isNull();
        String deadLetter = deadLetters().get(0);
        assertThat(replay(deadLetter)).isEqualTo(ReplayOutcome.ID_LIVE);

        change("a", Action.REMOVE);
        assertThat(replay(deadLetter)).isEqualTo(ReplayOutcome.REPLAYED);
        Claim replayed = claim().orElseThrow();
        assertThat(slot(replayed)).isNull();
        acknowledgeAt(MINUTE, replayed);
        assertThat(bench.redis().call("HGET", bench.key("messages"), "a")).isNull();
    }

    private ReplayOutcome replay(String deadLetter) {
        return Await.result(bench.store().replay(bench.shard(), List.of(deadLetter), Due.NOW))
                .get(0);
    }

    private List<String> deadLetters() {
        return Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 100))).stream()
                .map(deadLetter -> deadLetter.deadLetterId())
                .toList();
    }

    @Test
    void anExpiredOccurrenceIsAnEnd() {
        put("a", EACH_MINUTE, "p", new MessageLimits(null, null, Duration.ofSeconds(10), null));
        bench.clock(T0 + MINUTE + 10_001);
        assertThat(claim()).isEmpty();

        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        assertThat(deadLetters()).hasSize(1);
        bench.clock(T0 + 3 * MINUTE - 1);
        assertThat(claim()).isEmpty();
        assertThat(deadLetters()).hasSize(2);
        assertThat(claimAt(3 * MINUTE)).isNotNull();
    }

    @Test
    void aCancelSkipsTheSlot() {
        put("a", EACH_MINUTE, "p");
        assertThat(cancel("a")).isEqualTo(CancelOutcome.CANCELLED);
        bench.poll(poll());
        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        assertThat(cancel("a")).isEqualTo(CancelOutcome.CANCELLED);
        bench.poll(poll());
        assertThat(due("a")).isEqualTo(at(3 * MINUTE));
        assertThat(schedule("a").outcome()).isEqualTo(Schedule.Snapshot.Ending.CANCELLED);

        Claim claim = claimAt(3 * MINUTE);
        assertThat(cancel("a")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
        assertThat(bench.poll(poll().acknowledge("a", claim.token())).rejected())
                .hasSize(1);
        assertThat(due("a")).isEqualTo(at(4 * MINUTE));
    }

    private CancelOutcome cancel(String id) {
        return Await.result(bench.store().cancel(bench.shard(), id, Durability.NONE));
    }

    @Test
    void aRescheduleMovesOneOccurrence() {
        put("a", EACH_MINUTE, "p");
        assertThat(Await.result(bench.store()
                        .reschedule(bench.shard(), "a", new Due(T0 + MINUTE + 30_000, false), Durability.NONE)))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);
        bench.clock(T0 + MINUTE);
        assertThat(claim()).isEmpty();
        Claim claim = claimAt(MINUTE + 30_000);
        assertThat(slot(claim)).isEqualTo(at(MINUTE));
        acknowledgeAt(MINUTE + 30_000, claim);
        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
    }

    @Test
    void anIdBelongsToItsSchedule() {
        put("a", EACH_MINUTE, "p");
        for (OnDuplicate mode : OnDuplicate.values()) {
            OutgoingMessage other = OutgoingMessage.of(
                    "a", Due.NOW, mode, "x", MessageLimits.NONE, key, Map.of(), "other".getBytes(UTF_8));
            assertThat(bench.send(other).get(0).outcome())
                    .isEqualTo(mode == OnDuplicate.KEEP ? SendReply.Outcome.KEPT : SendReply.Outcome.DUPLICATE);
        }
        OutgoingMessage debounced = OutgoingMessage.of(
                "a",
                Due.debounced(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                OnDuplicate.REPLACE,
                "y",
                MessageLimits.NONE,
                key,
                Map.of(),
                "other".getBytes(UTF_8));
        assertThat(bench.send(debounced).get(0).outcome()).isEqualTo(SendReply.Outcome.DUPLICATE);

        bench.send(ordinary("b", T0 + 1));
        assertThat(put("b", EACH_MINUTE, "p")).isEmpty();
        assertThat(payload(claimAt(MINUTE / 2))).isNotEqualTo("other");
    }

    @Test
    void theSameScheduleChangesNothing() {
        put("a", EACH_MINUTE, "p");
        bench.clock(T0 + 30_000);
        assertThat(put("a", EACH_MINUTE, "p")).contains(result(Schedule.Result.Outcome.UNCHANGED, MINUTE));
        Claim claim = claimAt(MINUTE);
        assertThat(put("a", EACH_MINUTE, "p")).contains(result(Schedule.Result.Outcome.UNCHANGED, MINUTE));
        acknowledgeAt(MINUTE, claim);
        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
    }

    private static Schedule.Result result(Schedule.Result.Outcome outcome, long next) {
        return new Schedule.Result(outcome, at(next));
    }

    @Test
    void anotherPayloadKeepsTheSlot() {
        put("a", EACH_MINUTE, "p");
        bench.clock(T0 + 30_000);
        assertThat(put("a", EACH_MINUTE, "q")).contains(result(Schedule.Result.Outcome.UPDATED, MINUTE));
        Claim claim = claimAt(MINUTE);
        assertThat(payload(claim)).isEqualTo("q");

        assertThat(put("a", EACH_MINUTE, "r")).contains(result(Schedule.Result.Outcome.UPDATED, MINUTE));
        bench.poll(poll().retry("a", claim.token(), 1000));
        Claim retried = claimAt(MINUTE + 1000);
        assertThat(payload(retried)).as("one that is retried is left alone").isEqualTo("q");
        acknowledgeAt(MINUTE + 1000, retried);
        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        assertThat(payload(claimAt(2 * MINUTE))).isEqualTo("r");
    }

    @Test
    void anotherTimingComputesTheSlotAnew() {
        Timing eachTenSeconds = Timing.every(Duration.ofSeconds(10));
        put("a", EACH_MINUTE, "p");
        assertThat(put("a", eachTenSeconds, "p")).contains(result(Schedule.Result.Outcome.RETIMED, 10_000));
        Claim claim = claimAt(10_000);
        assertThat(put("a", EACH_MINUTE, "p")).contains(result(Schedule.Result.Outcome.RETIMED, 10_000 + MINUTE));
        acknowledgeAt(11_000, claim);
        assertThat(due("a")).isEqualTo(at(10_000 + MINUTE));
        Claim next = claimAt(10_000 + MINUTE);
        assertThat(slot(next)).isEqualTo(at(10_000 + MINUTE));
        acknowledgeAt(10_000 + MINUTE, next);
        assertThat(due("a")).isEqualTo(at(10_000 + 2 * MINUTE));
    }

    @Test
    void aNewTimingWhoseFirstSlotPassesWhileOneIsHandledSkipsIt() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        put("a", Timing.every(Duration.ofSeconds(10)), "p");
        acknowledgeAt(MINUTE + 25_000, claim);
        assertThat(due("a")).isEqualTo(at(MINUTE + 30_000));
        assertThat(schedule("a").skipped()).isEqualTo(2);
    }

    @Test
    void aCronExpressionIsComputedFromRedisClock() {
        Timing daily = Timing.cron("0 0 9 * * *", ZoneId.of("Europe/Paris"));
        bench.clock(Instant.parse("2025-07-01T07:00:00Z").toEpochMilli());
        // the process' clock is T0, in 2023
        Schedule.Result result = put("a", daily, "p").orElseThrow();
        assertThat(result.next()).isEqualTo(Instant.parse("2025-07-02T07:00:00Z"));
    }

    @Test
    void aPauseRemovesTheWaitingOccurrence() {
        put("a", EACH_MINUTE, "p");
        assertThat(change("a", Action.PAUSE)).isTrue();
        assertThat(schedule("a").paused()).isTrue();
        assertThat(schedule("a").occurrence()).isNull();
        assertThat(Await.result(bench.store().find(bench.shard(), "a"))).isEmpty();
        assertThat(Await.result(bench.store().count(bench.shard())).counts().scheduled())
                .isZero();
        bench.clock(T0 + 10 * MINUTE + 1);
        assertThat(claim()).isEmpty();
        assertThat(put("a", EACH_MINUTE, "q")).contains(new Schedule.Result(Schedule.Result.Outcome.UPDATED, null));

        assertThat(change("a", Action.RESUME)).isTrue();
        bench.poll(poll());
        assertThat(due("a")).isEqualTo(at(11 * MINUTE));
        assertThat(schedule("a").skipped()).isZero();
        assertThat(payload(claimAt(11 * MINUTE))).isEqualTo("q");
    }

    @Test
    void aSlotThatIsStillAheadIsUsedAfterAPause() {
        put("a", EACH_MINUTE, "p");
        change("a", Action.PAUSE);
        bench.clock(T0 + MINUTE / 2);
        change("a", Action.RESUME);
        bench.poll(poll());
        assertThat(due("a")).isEqualTo(at(MINUTE));
        assertThat(slot(claimAt(MINUTE))).isEqualTo(at(MINUTE));
    }

    @Test
    void whatWasPutAppliesToAnOccurrenceThatIsReleasedAndPaused() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        put("a", EACH_MINUTE, "q");
        bench.poll(poll().release("a", claim.token()));
        change("a", Action.PAUSE);
        change("a", Action.RESUME);
        bench.poll(poll());
        assertThat(payload(claimAt(2 * MINUTE))).isEqualTo("q");
    }

    @Test
    void aReleasedOccurrenceWithANewTimingWaitsForItsSlot() {
        Timing daily = Timing.every(Duration.ofDays(1));
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        put("a", daily, "p");
        bench.poll(poll().release("a", claim.token()));
        Instant slot = at(MINUTE + Duration.ofDays(1).toMillis());
        assertThat(put("a", daily, "q")).contains(new Schedule.Result(Schedule.Result.Outcome.UPDATED, slot));
        assertThat(due("a")).isEqualTo(slot);
    }

    @Test
    void aDeadLetterOfAPausedScheduleIsKept() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        change("a", Action.PAUSE);
        bench.poll(poll().deadLetter("a", claim.token(), DeadLetterCause.NOT_RETRYABLE));
        assertThat(replay(deadLetters().get(0))).isEqualTo(ReplayOutcome.ID_LIVE);
        assertThat(deadLetters()).hasSize(1);
    }

    @Test
    void aPutCompletesAnEndThatStopped() {
        for (int write = 1; write < 8; write++) {
            bench.reset();
            put("a", EACH_MINUTE, "p");
            Claim claim = claimAt(MINUTE);
            bench.stoppedBefore("poll", write);
            Polls acknowledge = poll().acknowledge("a", claim.token());
            boolean stopped = bench.stops(() -> bench.poll(acknowledge));
            bench.undisturbed();
            put("a", EACH_MINUTE, "q");
            if (stopped) {
                bench.poll(acknowledge);
            }
            bench.poll(poll());
            assertThat(due("a")).as("stopped before write " + write).isEqualTo(at(2 * MINUTE));
            assertThat(claim()).isEmpty();
            assertThat(payload(claimAt(2 * MINUTE))).isEqualTo("q");
        }
    }

    @Test
    void anOccurrenceThatIsHandledGoesOnDuringAPause() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        change("a", Action.PAUSE);
        bench.poll(poll().retry("a", claim.token(), 1000));
        claim = claimAt(MINUTE + 1000);
        acknowledgeAt(MINUTE + 1000, claim);
        assertThat(schedule("a"))
                .extracting(Schedule.Snapshot::paused, Schedule.Snapshot::occurrence, Schedule.Snapshot::outcome)
                .containsExactly(true, null, Schedule.Snapshot.Ending.ACKNOWLEDGED);
        bench.clock(T0 + 5 * MINUTE + 1);
        assertThat(claim()).isEmpty();
        change("a", Action.RESUME);
        bench.poll(poll());
        assertThat(due("a")).isEqualTo(at(6 * MINUTE));
    }

    @Test
    void aRemovedScheduleLeavesNothing() {
        put("a", EACH_MINUTE, "p");
        assertThat(change("a", Action.REMOVE)).isTrue();
        assertThat(change("a", Action.REMOVE)).isFalse();
        assertThat(Await.result(bench.process().recurrences().find(bench.shard(), "a")))
                .isEmpty();
        bench.clock(T0 + MINUTE);
        assertThat(claim()).isEmpty();
        assertNothingIsStored();
    }

    @Test
    void anOccurrenceThatIsHandledIsTheLastOneOfARemovedSchedule() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        assertThat(change("a", Action.REMOVE)).isTrue();
        bench.poll(poll().retry("a", claim.token(), 1000));
        claim = claimAt(MINUTE + 1000);
        acknowledgeAt(MINUTE + 1000, claim);
        assertNothingIsStored();
    }

    @Test
    void aScheduleThatIsStoredAgainWhileItsLastOccurrenceIsHandledGoesOn() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        change("a", Action.REMOVE);
        assertThat(put("a", EACH_MINUTE, "q")).contains(created(2 * MINUTE));
        acknowledgeAt(MINUTE + 1, claim);
        assertThat(due("a")).isEqualTo(at(2 * MINUTE));
        assertThat(payload(claimAt(2 * MINUTE))).isEqualTo("q");
    }

    private void assertNothingIsStored() {
        for (String hash : List.of("messages", "deliveries", "recurrences")) {
            assertThat(bench.redis().call("HLEN", bench.key(hash))).as(hash).isEqualTo(1L);
        }
        for (String set : List.of("schedule", "leases", "recurring")) {
            assertThat(bench.redis().call("ZCARD", bench.key(set))).as(set).isEqualTo(1L);
        }
        if (key != null) {
            assertThat(bench.redis().call("HLEN", bench.key("heads"))).isEqualTo(1L);
            assertThat(bench.redis().call("ZCARD", bench.key("parked"))).isEqualTo(1L);
            assertThat(bench.redis().call("ZCARD", bench.key("parked.due"))).isEqualTo(1L);
        }
    }

    @Test
    void schedulesAreListedById() {
        for (int i = 0; i < 25; i++) {
            put("s" + (char) ('a' + i), EACH_MINUTE, "p");
        }
        bench.send(ordinary("ordinary", T0));
        Schedule.Page first = Await.result(bench.process().recurrences().list(bench.shard(), "", 10));
        assertThat(first.schedules())
                .extracting(Schedule.Snapshot::id)
                .startsWith("sa")
                .endsWith("sj")
                .hasSize(10);
        assertThat(first.next()).isEqualTo("sj");
        Schedule.Page rest = Await.result(bench.process().recurrences().list(bench.shard(), "sj", 100));
        assertThat(rest.schedules()).hasSize(15);
        assertThat(rest.next()).isNull();
        assertThat(rest.schedules().get(0).timing()).isEqualTo(EACH_MINUTE.text());
    }

    @Test
    void idsOfRemovedSchedulesDoNotEndAListing() {
        put("a", EACH_MINUTE, "p");
        put("z", EACH_MINUTE, "p");
        for (int i = 0; i < 10; i++) {
            bench.redis().call("ZADD", bench.key("recurring"), 0, "b" + i);
        }

        List<String> ids = new ArrayList<>();
        String after = "";
        do {
            Schedule.Page page = Await.result(bench.process().recurrences().list(bench.shard(), after, 3));
            page.schedules().forEach(schedule -> ids.add(schedule.id()));
            after = page.next();
        } while (after != null);
        assertThat(ids).containsExactly("a", "z");
    }

    @Test
    void schedulesThatCannotBeComputedDoNotDelayOthers() {
        for (int i = 100; i < 250; i++) {
            put("a" + i, EACH_MINUTE, "p");
            cancel("a" + i);
            bench.redis().call("HSET", bench.key("recurrences"), "a" + i, "1 - 0 0 - 0 of another version");
        }
        put("b", EACH_MINUTE, "p");
        cancel("b");
        bench.poll(poll());
        assertThat(due("b")).isEqualTo(at(2 * MINUTE));
        assertThat(bench.redis().call("ZSCORE", bench.key("schedule"), "a100"))
                .isEqualTo("7000000000000000".getBytes(UTF_8));
    }

    @Test
    void aShardThatIsOpenedAgainStillHasRecurringMessages() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        change("a", Action.REMOVE);
        bench.redis().call("HDEL", bench.key("meta"), "identity");
        bench.send(ordinary("b", T0 + 2 * MINUTE));
        acknowledgeAt(MINUTE, claim);
        bench.poll(poll());
        assertThat(bench.redis().call("HGET", bench.key("messages"), "a")).isNull();
    }

    @Test
    void aLargePayloadThatIsPutWhileOneIsHandledCountsForTheByteBound() {
        put("a", EACH_MINUTE, "p");
        claimAt(MINUTE);
        put("a", EACH_MINUTE, "p".repeat(5000));
        assertThat(bench.meta("meta")).containsEntry("largest", "8192");
    }

    @Test
    void messagesAreNotListedBetweenTwoOccurrences() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        bench.stoppedBefore("rearm", 0);
        acknowledgeAt(MINUTE, claim);
        bench.undisturbed();

        for (MessageState state : MessageState.values()) {
            assertThat(Await.result(bench.reader().list(bench.shard(), state, null, 10))
                            .messages())
                    .isEmpty();
        }
        assertThat(cancel("a")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(Await.result(bench.store().reschedule(bench.shard(), "a", Due.NOW, Durability.NONE)))
                .isEqualTo(RescheduleOutcome.NOT_FOUND);
    }

    @Test
    void ordinaryMessagesOfTheTopicAreRemovedWhenTheyEnd() {
        put("a", Timing.every(Duration.ofDays(1)), "p");
        bench.send(ordinary("b", T0));
        Claim claim = claim().orElseThrow();
        acknowledgeAt(1, claim);
        bench.send(ordinary("b", T0));
        assertThat(cancel("b")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(bench.redis().call("HLEN", bench.key("messages"))).isEqualTo(2L);
    }

    private List<String> overdue() {
        return Await.result(bench.process().recurrences().overdue(bench.shard()))
                .get();
    }

    @Test
    void overdueIsWhatHasNotSucceededForTwoPeriods() {
        put("a", EACH_MINUTE, "p");
        assertThat(overdue()).isEmpty();
        acknowledgeAt(MINUTE, claimAt(MINUTE));
        bench.poll(poll());
        bench.clock(T0 + 4 * MINUTE);
        assertThat(overdue()).as("two periods and a minute have not passed").isEmpty();
        bench.clock(T0 + 4 * MINUTE + 1);
        assertThat(overdue()).containsExactly("a");
        Claim claim = claim().orElseThrow();
        assertThat(overdue()).as("leased").containsExactly("a");
        bench.poll(poll().retry(claim.id(), claim.token(), 60 * MINUTE));
        assertThat(overdue()).as("retried later").containsExactly("a");
        change("a", Action.PAUSE);
        assertThat(overdue()).as("paused").isEmpty();
    }

    @Test
    void resumedIsNotOverdueBeforeItsNextSlot() {
        put("a", EACH_MINUTE, "p");
        acknowledgeAt(MINUTE, claimAt(MINUTE));
        bench.poll(poll());
        change("a", Action.PAUSE);
        bench.clock(T0 + 10 * MINUTE + 1);
        change("a", Action.RESUME);
        assertThat(overdue()).isEmpty();
        bench.poll(poll());
        assertThat(overdue()).isEmpty();
        bench.clock(T0 + 11 * MINUTE);
        assertThat(overdue()).containsExactly("a");
    }

    @Test
    void deadLetteredWithoutAnySuccessIsOverdue() {
        put("a", EACH_MINUTE, "p");
        Claim claim = claimAt(MINUTE);
        assertThat(overdue()).isEmpty();
        bench.poll(poll().deadLetter(claim.id(), claim.token(), DeadLetterCause.REQUESTED));
        bench.poll(poll());
        assertThat(overdue()).containsExactly("a");
        acknowledgeAt(2 * MINUTE, claimAt(2 * MINUTE));
        bench.poll(poll());
        assertThat(overdue()).isEmpty();
    }

    @Test
    void schedulesAreCounted() {
        put("a", EACH_MINUTE, "p");
        put("b", EACH_MINUTE, "p");
        change("b", Action.PAUSE);
        assertThat(counted()).isEqualTo(2);
        change("b", Action.REMOVE);
        assertThat(counted()).isEqualTo(1);
    }

    private long counted() {
        return Await.result(bench.store().count(bench.shard())).counts().schedules();
    }
}
