package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.testing.Dump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a fair topic stored in format 1 is read and handled by today's code. For its dump the same holds as for that of
 * {@link StoredFormatTests}.
 */
class StoredFairTests {

    private static final long HOUR = Duration.ofHours(1).toMillis();

    /** Its messages are parked, and it is active. */
    private static final String BUSY = "customer 4711/\u00fc%";

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    @BeforeEach
    void restore() throws IOException {
        bench.restore("format-1-fair.redis");
    }

    @Test
    void keysAndStatesAreRead() {
        assertThat(find("busy-9").envelope().key()).isEqualTo(BUSY);
        assertThat(find("busy-9").state()).isEqualTo(MessageState.READY);
        assertThat(find("plain-1").envelope().key()).isNull();
        assertThat(find("later-1").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(find("busy-0").attempts()).isOne();
        assertThat(find("busy-0").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(find("busy-1").state()).isEqualTo(MessageState.LEASED);
        assertThat(requireNonNull(find("busy-1").successor()).envelope().key()).isEqualTo("other");
        assertThat(bench.state().get("deadLetters")).hasSize(1);
    }

    @Test
    void theKeysShareTheNextClaims() {
        assertThat(bench.poll(Polls.by("w", 3).claim(6)).claims())
                .extracting(claim -> claim.envelope().key())
                .contains(BUSY, "small", null);
    }

    @Test
    void inTheEndEachMessageIsDelivered() {
        List<String> delivered = new ArrayList<>();
        List<Claim> claims = List.of();
        for (int sequence = 1; sequence <= 20; sequence++) {
            // after the outage, leases that are over are taken back with a delay
            bench.clock(T0 + 2 * HOUR + 4000L * sequence);
            Polls poll = Polls.by("new", sequence).claim(3);
            claims.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
            claims = bench.poll(poll).claims();
            claims.forEach(claim -> delivered.add(claim.id()));
        }

        assertThat(delivered)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of("busy-1", "plain-0", "plain-1", "small", "later-1", "later-2"),
                                IntStream.of(0, 1, 3, 4, 5, 6, 7, 8, 9).mapToObj(i -> "busy-" + i))
                        .toList());
        OrderTests.checkEmpty(bench);
        assertThat(bench.redis().call("ZCARD", bench.key("active"))).isEqualTo(1L);
    }

    /** See {@link StoredFormatTests#writeTheDumpOfThisFormat}. */
    @Test
    @EnabledIfSystemProperty(named = "delayqueue.dump", matches = ".+")
    void writeTheDumpOfThisFormat() throws IOException {
        bench.reset();
        bench.store().enableNotifications(bench.shard()).join();
        bench.send(IntStream.range(0, 10)
                .mapToObj(i -> keyed("busy-" + i, BUSY, T0))
                .toList());
        bench.send(keyed("later-1", "later", T0 + HOUR), keyed("later-2", "later", T0 + 2 * HOUR));
        String token = bench.poll(Polls.by("w", 1).claim(3)).claims().get(0).token();
        bench.clock(T0 + 1_000);
        bench.poll(Polls.by("w", 2)
                .retry("busy-0", token, HOUR)
                .deadLetter("busy-2", token, DeadLetterCause.NOT_RETRYABLE));
        bench.send(Sends.keyed("busy-1", "other", new Due(T0 + 11_000, false), OnDuplicate.AFTER_RUNNING, "n2"));
        bench.send(
                Sends.at("plain-0", T0 + 2_000), Sends.at("plain-1", T0 + 2_000), keyed("small", "small", T0 + 3_000));
        Files.writeString(
                Path.of(System.getProperty("delayqueue.dump")),
                "# Every key of a fair shard in format 1, made by StoredFairTests\n" + Dump.of(bench.redis(), "dq:"));
    }

    private static OutgoingMessage keyed(String id, String key, long due) {
        return Sends.keyed(id, key, new Due(due, false), OnDuplicate.REJECT, "n");
    }

    private static MessageSnapshot find(String id) {
        return bench.store().find(bench.shard(), id).join().orElseThrow();
    }
}
