package io.delayqueue.store.script;

import static io.delayqueue.store.EnvelopeFormat.LATEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The times in a head are bytes: whatever these are, line feeds and zeros too, every script finds what stands behind
 * them. Each test is told a moment at which it sends and when what it sends is due.
 */
class HeadTimeTests {

    private static final MessageLimits LIMITS =
            new MessageLimits(3, Duration.ofSeconds(9), Duration.ofSeconds(1), null);
    private static final Map<String, String> HEADERS = Map.of("tags", "vip");
    private static final byte[] PAYLOAD = {'\n', 0, 'x'};

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    @Moments
    void whatIsSentIsFoundAndItsRepeatRecognised(long moment) {
        bench.clock(moment);
        for (String nonce : List.of("-", "n")) {
            for (MessageLimits limits : List.of(MessageLimits.NONE, LIMITS)) {
                String id = nonce + limits.isEmpty();
                assertThat(send(id, moment, nonce, limits)).isEqualTo(Sends.reply(Outcome.ACCEPTED, moment));
                Envelope found = found(id);
                assertThat(found).usingRecursiveComparison().isEqualTo(envelope(moment, moment, nonce, limits));
                assertThat(send(id, moment, nonce, limits)).isEqualTo(Sends.repeated(Outcome.ACCEPTED, moment));
                assertThat(send(id, 1, nonce, limits)).isEqualTo(Sends.repeated(Outcome.ACCEPTED, moment));
                assertThat(send(id, 1, "m", limits)).isEqualTo(Sends.reply(Outcome.DUPLICATE, 1));
            }
        }
    }

    @Moments
    void rescheduledMessageChangesItsDueTimeAlone(long moment) {
        bench.clock(moment);
        send("a", moment, "n", LIMITS);
        bench.reschedule("a", new Due(5, false));
        assertThat(found("a")).usingRecursiveComparison().isEqualTo(envelope(moment, 5, "n", LIMITS));
        bench.reschedule("a", new Due(moment, false));
        assertThat(found("a")).usingRecursiveComparison().isEqualTo(envelope(moment, moment, "n", LIMITS));
    }

    @Moments
    void claimedMessageHasItsOwnLease(long moment) {
        bench.clock(moment);
        send("plain", moment, "-", MessageLimits.NONE);
        send("limited", moment, "-", LIMITS);
        List<Claim> claims = bench.poll(Polls.by("w1", 1).claim(9)).claims();
        assertThat(claims).extracting(Claim::id).containsExactly("limited", "plain");
        assertThat(claims).extracting(Claim::hasOwnLimits).containsExactly(true, false);
        assertThat(Await.result(bench.store().find(bench.shard(), "limited"))
                        .orElseThrow()
                        .leaseEnd())
                .isEqualTo(Instant.ofEpochMilli(moment + 9000));
    }

    @Moments
    void lateMessageExpiresAndIsReplayed(long moment) {
        bench.clock(moment);
        send("a", moment, "n", LIMITS);
        bench.clock(moment + 1001);
        assertThat(bench.poll(Polls.by("w1", 1).claim(9)).deadLettered())
                .extracting("cause")
                .containsExactly(DeadLetterCause.EXPIRED);
        String deadLetterId = "a@n." + moment;
        assertThat(Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.One(deadLetterId)))
                        .get(0)
                        .envelope())
                .usingRecursiveComparison()
                .isEqualTo(envelope(moment, moment, "n", LIMITS));

        assertThat(Await.result(bench.store().replay(bench.shard(), List.of(deadLetterId), new Due(7, false)))
                        .get(0))
                .isEqualTo(ReplayOutcome.REPLAYED);

        assertThat(found("a")).usingRecursiveComparison().isEqualTo(envelope(moment, 7, "n", LIMITS));
    }

    private static List<SendReply> send(String id, long due, String nonce, MessageLimits limits) {
        Due at = new Due(due, false);
        return bench.send(OutgoingMessage.of(id, at, OnDuplicate.REJECT, nonce, limits, null, HEADERS, PAYLOAD));
    }

    private static Envelope found(String id) {
        return Await.result(bench.store().find(bench.shard(), id)).orElseThrow().envelope();
    }

    private static Envelope envelope(long sent, long due, String nonce, MessageLimits limits) {
        return new Envelope(
                Instant.ofEpochMilli(sent), Instant.ofEpochMilli(due), nonce, limits, null, null, HEADERS, PAYLOAD);
    }

    /** The ends of the range, the ends of its halves, only line feeds, and what Lua's patterns take for special. */
    @ParameterizedTest
    @ValueSource(
            longs = {0, 0xffff_ffffL, 0x1_0000_0000L, 0x0a0a_0a0a_0a0aL, 0x252b_2520_2b20L, 0x0031_0a0a_2b00L, LATEST})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Moments {}
}
