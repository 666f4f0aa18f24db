package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Failure;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.bench.Dump;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.Steps;
import io.delayqueue.store.bench.StoreBench;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What was stored by format 1 is read and handled by today's code. The dump of a released format is never written anew: a
 * change that breaks this test needs a new format, with a dump and a test of its own.
 */
class StoredFormatTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String JSON = "{\"order\":\"4711\"}";

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private MessageStore store;

    @BeforeEach
    void restore() throws IOException {
        bench.redis().call("FLUSHALL");
        bench.undisturbed();
        try (InputStream dump = StoredFormatTests.class.getResourceAsStream("format-1.redis")) {
            if (dump != null) {
                Dump.restore(bench.redis(), new String(dump.readAllBytes(), UTF_8));
            }
        }
        bench.clock(T0 + 20_000);
        bench.restartProcess();
        store = bench.store();
    }

    @Test
    void scheduledMessageIsReadWithHeadersAndPayload() {
        MessageSnapshot plain = find("plain");
        assertThat(plain.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(plain.dueAt()).isEqualTo(at(HOUR.toMillis()));
        assertThat(plain.attempts()).isZero();
        assertThat(plain.envelope().sentAt()).isEqualTo(at(0));
        assertThat(plain.envelope().limits()).isEqualTo(MessageLimits.NONE);
        assertThat(plain.envelope().headers())
                .containsExactly(Map.entry("tags", "vip"), Map.entry("a:b%", "100 %\nsure, \u20ac"));
        assertThat(plain.envelope().payload()).isEqualTo(JSON.getBytes(UTF_8));
    }

    @Test
    void repeatOfASendIsRecognised() {
        Due later = new Due(HOUR.toMillis(), true);
        for (Map.Entry<String, String> nonce :
                Map.of("plain", "n1", "unnamed", OutgoingMessage.GENERATED_ID).entrySet()) {
            assertThat(store.send(
                            bench.shard(),
                            List.of(Sends.message(nonce.getKey(), later, OnDuplicate.REFUSE, nonce.getValue()))))
                    .isEqualTo(Sends.reply(T0 + 20_000, Outcome.ACCEPTED, T0 + HOUR.toMillis()));
        }
    }

    @Test
    void limitsAreRead() {
        assertThat(find("limited").envelope().limits()).isEqualTo(late());
        assertThat(find("dated").envelope().limits()).isEqualTo(dated());
    }

    @Test
    void retriedMessageIsReadAndClaimed() {
        MessageSnapshot retried = find("retried");
        assertThat(retried.attempts()).isOne();
        assertThat(retried.dueAt()).isEqualTo(at(1_000 + HOUR.toMillis()));
        assertThat(retried.lastFailure()).isEqualTo("E: no");

        bench.clock(T0 + HOUR.toMillis() + 2_000);
        Claim claim = claim(step(Steps.by("new", 1).claim(100)), "retried");
        assertThat(claim.attempt()).isEqualTo(2);
        assertThat(claim.lastFailure()).isEqualTo("E: no");
    }

    @Test
    void leaseIsStillHeldByItsToken() {
        MessageSnapshot leased = find("leased");
        assertThat(leased.state()).isEqualTo(MessageState.LEASED);
        assertThat(leased.leaseEnd()).isEqualTo(at(40_000));
        assertThat(find("limited-lease").leaseEnd()).isEqualTo(at(55_000));

        StepReply again = step(lastStep());
        assertThat(again.claims()).extracting(Claim::id).containsExactlyInAnyOrder("leased", "limited-lease");
        StepReply settled = step(
                Steps.by("old", 4).acknowledge("leased", claim(again, "leased").token()));
        assertThat(settled.gone()).isEmpty();
        assertThat(store.find(bench.shard(), "leased")).isEmpty();
    }

    @Test
    void everyMessageIsDeliveredInTheEnd() {
        List<String> delivered = new ArrayList<>();
        long now = T0 + HOUR.toMillis() + 60_000;
        for (int sequence = 1; sequence <= 6; sequence++) {
            // after the outage, leases that are over are taken back with a delay
            bench.clock(now);
            step(Steps.by("new", sequence).claim(100)).claims().forEach(claim -> delivered.add(claim.id()));
            now += 4_000;
        }
        assertThat(delivered)
                .containsExactlyInAnyOrder(
                        "plain", "unnamed", "limited", "dated", "retried", "leased", "limited-lease");
    }

    @Test
    void scheduledMessageIsMovedAndCancelled() {
        store.reschedule(bench.shard(), "plain", Due.NOW);
        assertThat(find("plain").dueAt()).isEqualTo(at(20_000));
        assertThat(store.cancel(bench.shard(), "limited")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(store.cancel(bench.shard(), "leased")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
    }

    @Test
    void deadLettersAreReadAndReplayed() {
        List<DeadLetter> letters = store.letters(bench.shard(), new LetterQuery.Page(null, 0, 100));
        assertThat(letters).extracting(DeadLetter::messageId).containsExactly("expired", "buried");
        DeadLetter buried = letters.get(1);
        assertThat(buried.cause()).isEqualTo(DeathCause.NOT_RETRYABLE);
        assertThat(buried.attempts()).isOne();
        assertThat(buried.diedAt()).isEqualTo(at(1_000));
        assertThat(buried.failure()).isEqualTo(new Failure("E", "no", "at x\nat y"));
        assertThat(buried.envelope().payload()).isEqualTo("buried".getBytes(UTF_8));
        assertThat(letters.get(0).cause()).isEqualTo(DeathCause.EXPIRED);

        assertThat(store.replay(bench.shard(), buried.letterId(), Due.NOW)).isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(find("buried").attempts()).isZero();
    }

    @Test
    void noticesOfDeathsAreClaimed() {
        Shard deaths = bench.shard().deaths();
        List<Claim> notices =
                store.step(deaths, Steps.by("new", 1).claim(100).build()).claims();
        assertThat(notices)
                .hasSize(2)
                .allSatisfy(notice -> assertThat(store.letters(bench.shard(), new LetterQuery.One(notice.id())))
                        .hasSize(1));
    }

    /** By which the dump was made. For another format: {@code -Ddelayqueue.dump=<file>}, and then never again. */
    @Test
    @EnabledIfSystemProperty(named = "delayqueue.dump", matches = ".+")
    void writeTheDumpOfThisFormat() throws IOException {
        bench.reset();
        store = bench.store();
        store.attendDeathsAsync(bench.shard()).join();
        long later = T0 + HOUR.toMillis();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("tags", "vip");
        headers.put("a:b%", "100 %\nsure, \u20ac");
        send(OutgoingMessage.of(
                "plain",
                new Due(later, false),
                OnDuplicate.REFUSE,
                "n1",
                MessageLimits.NONE,
                headers,
                JSON.getBytes(UTF_8)));
        send(Sends.message("unnamed", new Due(later, false), OnDuplicate.REFUSE, OutgoingMessage.GENERATED_ID));
        send(Sends.limited("limited", later, late()));
        send(Sends.limited("dated", later, dated()));
        send(Sends.at("retried", T0));
        send(Sends.at("buried", T0));
        send(Sends.limited("expired", T0 + 2_000, new MessageLimits(null, null, Duration.ofSeconds(1), null)));
        StepReply first = step(Steps.by("old", 1).claim(10));
        bench.clock(T0 + 1_000);
        step(Steps.by("old", 2)
                .retry("retried", claim(first, "retried").token(), HOUR.toMillis())
                .bury("buried", claim(first, "buried").token(), DeathCause.NOT_RETRYABLE));
        bench.clock(T0 + 10_000);
        send(Sends.at("leased", T0 + 10_000));
        send(Sends.limited("limited-lease", T0 + 10_000, new MessageLimits(null, Duration.ofSeconds(45), null, null)));
        step(lastStep());
        Files.writeString(
                Path.of(System.getProperty("delayqueue.dump")),
                "# Every key of a shard in format 1, made by StoredFormatTests\n" + Dump.of(bench.redis(), "dq:"));
    }

    private void send(OutgoingMessage message) {
        store.send(bench.shard(), List.of(message));
    }

    private static Steps lastStep() {
        return Steps.by("old", 3).claim(10);
    }

    private static MessageLimits late() {
        return new MessageLimits(7, Duration.ofSeconds(45), Duration.ofHours(2), null);
    }

    private static MessageLimits dated() {
        return new MessageLimits(null, null, null, Instant.ofEpochMilli(T0 + 3 * HOUR.toMillis()));
    }

    private static Instant at(long millisAfterT0) {
        return Instant.ofEpochMilli(T0 + millisAfterT0);
    }

    private StepReply step(Steps steps) {
        return store.step(bench.shard(), steps.build());
    }

    private MessageSnapshot find(String id) {
        return store.find(bench.shard(), id).orElseThrow();
    }

    private static Claim claim(StepReply reply, String id) {
        return reply.claims().stream()
                .filter(claim -> Objects.equals(claim.id(), id))
                .findFirst()
                .orElseThrow();
    }
}
