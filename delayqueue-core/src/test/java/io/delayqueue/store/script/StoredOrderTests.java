package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.store.Claim;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.testing.Dump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What an ordered topic stored in format 1 is read and handled by today's code. For its dump the same holds as for that of
 * {@link StoredFormatTests}.
 */
class StoredOrderTests {

    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final MessageLimits LIMITS = new MessageLimits(7, Duration.ofSeconds(45), null, null);

    /** Its head waits for the second attempt. */
    private static final String HELD = "account 4711/\u00fc%";

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    @BeforeEach
    void restore() throws IOException {
        bench.restore("format-1-ordered.redis");
    }

    @Test
    void keysAndStatesAreRead() {
        assertThat(find("held-1").envelope().key()).isEqualTo(HELD);
        assertThat(find("held-1").attempts()).isOne();
        assertThat(find("held-3").envelope().key()).isEqualTo(HELD);
        assertThat(find("held-3").envelope().limits()).isEqualTo(LIMITS);
        assertThat(find("held-3").state()).isEqualTo(MessageState.READY);
        assertThat(find("free-2").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(find("free-2").dueAt()).isEqualTo(at(2 * HOUR));
        assertThat(find("passed").postponements()).isOne();
        assertThat(find("passed").dueAt()).isEqualTo(at(16_000));
        assertThat(find("leased-1").state()).isEqualTo(MessageState.LEASED);
        assertThat(requireNonNull(find("leased-1").successor()).envelope().key())
                .isEqualTo("other");
        assertThat(deadLetter().envelope().key()).isEqualTo("dead");

        TopicCounts counts = bench.store().count(bench.shard()).join().counts();
        assertThat(counts.parked()).isEqualTo(5);
        assertThat(counts.ready()).isEqualTo(6);
        assertThat(counts.scheduled()).isEqualTo(3);
    }

    @Test
    void aHeadThatHoldsItsKeyIsNotOvertaken() {
        bench.send(keyed("earlier", HELD, T0 - 1_000));

        assertThat(ids(poll(Polls.by("new", 1).claim(10)))).containsExactly("passing-1");
        bench.clock(T0 + HOUR + 1_000);
        assertThat(ids(poll(Polls.by("new", 2).claim(10)))).contains("held-1").doesNotContain("earlier");
    }

    @Test
    void aFreeHeadIsOvertaken() {
        bench.send(keyed("free-0", "free", T0));

        assertThat(ids(poll(Polls.by("new", 1).claim(10)))).containsExactlyInAnyOrder("passing-1", "free-0");
        bench.clock(T0 + HOUR);
        assertThat(ids(poll(Polls.by("new", 2).claim(10)))).doesNotContain("free-1");
    }

    @Test
    void anAcknowledgedLeaseReleasesItsKey() {
        PollReply again = poll(lastPoll());
        assertThat(ids(again)).containsExactly("leased-1");

        PollReply settled = poll(
                Polls.by("old", 4).acknowledge("leased-1", again.claims().get(0).token()));

        assertThat(settled.rejected()).isEmpty();
        assertThat(find("leased-1").envelope().key()).isEqualTo("other");
        assertThat(ids(poll(Polls.by("old", 5).claim(10))))
                .containsExactlyInAnyOrder("leased-1", "leased-2", "passing-1");
    }

    @Test
    void aMessageWithoutADelayIsNotDueBeforeTheLastOne() {
        bench.clock(T0 + 5_000);

        bench.send(now("leased-3"));

        assertThat(find("leased-3").dueAt()).isEqualTo(at(10_000));
    }

    @Test
    void inTheEndTheMessagesOfEachKeyAreDeliveredInOrder() {
        // of the same due time as held-2 and held-3: it arrives last
        bench.send(keyed("a", HELD, T0));

        Map<String, List<String>> delivered = new TreeMap<>();
        long now = T0 + 2 * HOUR;
        List<Claim> claims = List.of();
        for (int sequence = 1; sequence <= 20; sequence++) {
            // after the outage, leases that are over are taken back with a delay
            bench.clock(now);
            now += 4_000;
            Polls poll = Polls.by("new", sequence).claim(10);
            for (Claim claim : claims) {
                poll.acknowledge(claim.id(), claim.token());
            }
            claims = poll(poll).claims();
            for (Claim claim : claims) {
                delivered
                        .computeIfAbsent(requireNonNull(claim.envelope().key()), key -> new ArrayList<>())
                        .add(claim.id());
            }
        }

        assertThat(delivered)
                .isEqualTo(Map.of(
                        HELD,
                        List.of("held-1", "held-2", "held-3", "a"),
                        "passing",
                        List.of("passing-1", "passed", "passing-2"),
                        "free",
                        List.of("free-1", "free-2"),
                        "leased",
                        List.of("leased-1", "leased-2"),
                        "other",
                        List.of("leased-1")));
        OrderTests.checkEmpty(bench);
    }

    @Test
    void parkedMessagesAreListedRescheduledCancelledAndMoved() {
        assertThat(bench.reader()
                        .list(bench.shard(), MessageState.READY, null, 10)
                        .join()
                        .messages())
                .extracting(MessageSnapshot::id)
                .containsExactlyInAnyOrder("held-2", "held-3", "leased-2", "passing-1", "passed", "passing-2");

        assertThat(bench.reschedule("free-2", Due.NOW)).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(bench.cancel("passed")).isEqualTo(CancelOutcome.CANCELLED);
        MessageMover mover = new MessageMover(
                bench.scripts(), bench.keySpace(), bench.process().registry());
        assertThat(mover.move(List.of(bench.shard()), bench.orderedShard().topic(), List.of("held-2"), at(HOUR))
                        .ids())
                .containsExactly("held-2");

        PollReply next = poll(Polls.by("new", 1).claim(10));
        assertThat(ids(next)).containsExactlyInAnyOrder("passing-1", "free-2");
        assertThat(ids(poll(Polls.by("new", 2)
                        .acknowledge("passing-1", next.claims().get(0).token())
                        .claim(10))))
                .containsExactly("passing-2");
        assertThat(bench.store()
                        .find(bench.orderedShard(), "held-2")
                        .join()
                        .orElseThrow()
                        .envelope()
                        .key())
                .isEqualTo(HELD);
    }

    @Test
    void aReplayedDeadLetterHasItsKey() {
        bench.send(keyed("dead-2", "dead", T0 + 20_000));

        assertThat(bench.store()
                        .replay(bench.shard(), List.of(deadLetter().deadLetterId()), Due.NOW)
                        .join())
                .containsExactly(ReplayOutcome.REPLAYED);

        assertThat(find("buried").envelope().key()).isEqualTo("dead");
        assertThat(ids(poll(Polls.by("new", 1).claim(10)))).contains("dead-2").doesNotContain("buried");
    }

    /** See {@link StoredFormatTests#writeTheDumpOfThisFormat}. */
    @Test
    @EnabledIfSystemProperty(named = "delayqueue.dump", matches = ".+")
    void writeTheDumpOfThisFormat() throws IOException {
        bench.reset();
        bench.store().enableNotifications(bench.shard()).join();
        bench.send(keyed("held-1", HELD, T0), keyed("held-2", HELD, T0));
        bench.send(OutgoingMessage.of(
                "held-3",
                new Due(T0, false),
                OnDuplicate.REJECT,
                "n",
                LIMITS,
                HELD,
                Map.of("tags", "vip"),
                "held".getBytes(UTF_8)));
        bench.send(
                keyed("passed", "passing", T0),
                keyed("passing-1", "passing", T0 + 15_000),
                keyed("passing-2", "passing", T0 + 17_000),
                keyed("buried", "dead", T0),
                keyed("free-1", "free", T0 + HOUR),
                keyed("free-2", "free", T0 + 2 * HOUR));
        String token = poll(Polls.by("old", 1).claim(10)).claims().get(0).token();
        bench.clock(T0 + 1_000);
        poll(Polls.by("old", 2)
                .retry("held-1", token, HOUR)
                .postponeLettingOthersPass("passed", token, 15_000)
                .deadLetter("buried", token, DeadLetterCause.NOT_RETRYABLE));
        bench.clock(T0 + 10_000);
        bench.send(now("leased-1"), now("leased-2"));
        poll(lastPoll());
        bench.send(Sends.keyed("leased-1", "other", new Due(T0 + 11_000, false), OnDuplicate.AFTER_RUNNING, "n2"));
        Files.writeString(
                Path.of(System.getProperty("delayqueue.dump")),
                "# Every key of an ordered shard in format 1, made by StoredOrderTests\n"
                        + Dump.of(bench.redis(), "dq:"));
    }

    private static OutgoingMessage keyed(String id, String key, long due) {
        return Sends.keyed(id, key, new Due(due, false), OnDuplicate.REJECT, "n");
    }

    private static OutgoingMessage now(String id) {
        return Sends.keyed(id, "leased", Due.NOW, OnDuplicate.REJECT, "n");
    }

    private static Polls lastPoll() {
        return Polls.by("old", 3).claim(10);
    }

    private static Instant at(long millisAfterT0) {
        return Instant.ofEpochMilli(T0 + millisAfterT0);
    }

    private static PollReply poll(Polls polls) {
        return bench.poll(polls);
    }

    private static List<String> ids(PollReply reply) {
        return reply.claims().stream().map(Claim::id).toList();
    }

    private static MessageSnapshot find(String id) {
        return bench.store().find(bench.shard(), id).join().orElseThrow();
    }

    private static DeadLetter deadLetter() {
        return bench.store()
                .deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 100))
                .join()
                .get(0);
    }
}
