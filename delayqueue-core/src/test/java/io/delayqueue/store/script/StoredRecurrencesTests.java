package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Schedule.Snapshot.Ending;
import io.delayqueue.message.Timing;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Recurrences.Action;
import io.delayqueue.testing.Dump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What recurring messages stored in format 1 is read and handled by today's code. For its dump the same holds as for that of {@link
 * StoredFormatTests}.
 */
class StoredRecurrencesTests {

    private static final long MINUTE = Duration.ofMinutes(1).toMillis();
    private static final long HOUR = 60 * MINUTE;
    private static final Timing EACH_MINUTE = Timing.every(Duration.ofMinutes(1));
    private static final MessageLimits LIMITS = new MessageLimits(7, Duration.ofSeconds(45), Duration.ofDays(1), null);

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    @BeforeEach
    void restore() throws IOException {
        bench.restore("format-1-recurring.redis");
        bench.clock(T0 + MINUTE + 1_000);
    }

    @Test
    void schedulesAndTheirOccurrencesAreRead() {
        Schedule.Snapshot waiting = find("waiting");
        assertThat(waiting.timing()).isEqualTo("every 3600000 0");
        assertThat(waiting.message().slot()).isEqualTo(at(HOUR));
        assertThat(waiting.message().limits()).isEqualTo(LIMITS);
        assertThat(waiting.message().headers()).containsEntry("tags", "vip");
        assertThat(requireNonNull(waiting.occurrence()).dueAt()).isEqualTo(at(HOUR));

        assertThat(find("cron").timing()).isEqualTo("cron 0 Europe/Paris 0 0 9 * * MON");

        Schedule.Snapshot used = find("used");
        assertThat(used.outcome()).isEqualTo(Ending.ACKNOWLEDGED);
        assertThat(used.succeededAt()).isEqualTo(at(MINUTE));
        assertThat(requireNonNull(used.occurrence()).dueAt()).isEqualTo(at(2 * MINUTE));

        Schedule.Snapshot leased = find("leased");
        assertThat(requireNonNull(leased.occurrence()).state()).isEqualTo(MessageState.LEASED);
        assertThat(leased.message().payload()).isEqualTo("new".getBytes(UTF_8));

        MessageSnapshot retried = requireNonNull(find("retried").occurrence());
        assertThat(retried.attempts()).isOne();
        assertThat(retried.dueAt()).isEqualTo(at(MINUTE + HOUR));

        assertThat(find("paused").paused()).isTrue();
        assertThat(find("paused").occurrence()).isNull();
        assertThat(find("unarmed").occurrence()).isNull();
        assertThat(bench.store().count(bench.shard()).join().counts().schedules())
                .isEqualTo(7);
    }

    @Test
    void unarmedAndPausedOnesGoOn() {
        assertThat(change("paused", Action.RESUME)).isTrue();
        bench.poll(Polls.by("new", 1));
        assertThat(dueOf("unarmed")).isEqualTo(at(2 * MINUTE));
        assertThat(dueOf("paused")).isEqualTo(at(2 * MINUTE));
    }

    @Test
    void whatIsLeasedIsFollowedByWhatWasPutMeanwhile() {
        List<Claim> again = bench.poll(lastPoll()).claims();
        assertThat(again).extracting(Claim::id).containsExactly("leased");
        assertThat(bench.poll(Polls.by("old", 4)
                                .acknowledge("leased", again.get(0).token()))
                        .rejected())
                .isEmpty();
        bench.poll(Polls.by("old", 5));
        assertThat(dueOf("leased")).isEqualTo(at(2 * MINUTE));
        assertThat(requireNonNull(find("leased").occurrence()).envelope().payload())
                .isEqualTo("new".getBytes(UTF_8));
    }

    @Test
    void sameScheduleIsUnchangedAndEachCanBeRemoved() {
        assertThat(put("waiting", Timing.every(Duration.ofHours(1)), "p", LIMITS)
                        .outcome())
                .isEqualTo(Schedule.Result.Outcome.UNCHANGED);
        for (String id : List.of("waiting", "cron", "used", "paused", "unarmed")) {
            assertThat(change(id, Action.REMOVE)).as(id).isTrue();
        }
        assertThat(bench.store().count(bench.shard()).join().counts().schedules())
                .isEqualTo(2);
        assertThat(bench.store().find(bench.shard(), "waiting").join()).isEmpty();
    }

    /** See {@link StoredFormatTests#writeTheDumpOfThisFormat}. */
    @Test
    @EnabledIfSystemProperty(named = "delayqueue.dump", matches = ".+")
    void writeTheDumpOfThisFormat() throws IOException {
        bench.reset();
        put("waiting", Timing.every(Duration.ofHours(1)), "p", LIMITS);
        put("cron", Timing.cron("0 0 9 * * MON", ZoneId.of("Europe/Paris")), "p", MessageLimits.NONE);
        for (String id : List.of("used", "leased", "retried", "paused", "unarmed")) {
            put(id, EACH_MINUTE, "p", MessageLimits.NONE);
        }
        change("paused", Action.PAUSE);
        bench.clock(T0 + MINUTE);
        String token = bench.poll(lastPoll()).claims().get(0).token();
        bench.poll(Polls.by("w", 1).acknowledge("used", token).retry("retried", token, HOUR));
        put("leased", EACH_MINUTE, "new", MessageLimits.NONE);
        bench.stoppedBefore("rearm", 0);
        bench.poll(Polls.by("w", 2).acknowledge("unarmed", token));
        bench.undisturbed();
        Files.writeString(
                Path.of(System.getProperty("delayqueue.dump")),
                "# Every key of a shard with recurring messages in format 1, made by StoredRecurrencesTests\n"
                        + Dump.of(bench.redis(), "dq:"));
    }

    private static Polls lastPoll() {
        return Polls.by("old", 3).claim(10);
    }

    private static Schedule.Result put(String id, Timing timing, String payload, MessageLimits limits) {
        OutgoingMessage message = OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, "n", limits, null, Map.of("tags", "vip"), payload.getBytes(UTF_8));
        return Await.result(bench.process()
                        .recurrences()
                        .put(bench.shard(), message, "n", timing, Instant.ofEpochMilli(T0), Durability.NONE))
                .orElseThrow();
    }

    private static boolean change(String id, Action action) {
        return Await.result(bench.process().recurrences().change(bench.shard(), id, action, Durability.NONE));
    }

    private static Schedule.Snapshot find(String id) {
        return Await.result(bench.process().recurrences().find(bench.shard(), id))
                .orElseThrow();
    }

    private static @Nullable Instant dueOf(String id) {
        MessageSnapshot occurrence = find(id).occurrence();
        return occurrence == null ? null : occurrence.dueAt();
    }

    private static Instant at(long millisAfterT0) {
        return Instant.ofEpochMilli(T0 + millisAfterT0);
    }
}
