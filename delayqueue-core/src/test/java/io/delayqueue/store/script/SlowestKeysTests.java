package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageSnapshot.OrderedKey;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which keys wait longest, and for what: {@code slowestkeys.lua}. */
class SlowestKeysTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    private long sequence;

    private static OutgoingMessage message(String id, String key, long delay) {
        return Sends.keyed(id, key, new Due(delay, true), OnDuplicate.REJECT, "n");
    }

    private Polls poll() {
        return Polls.by("w1", ++sequence);
    }

    private String onlyToken() {
        List<Claim> claims = bench.poll(poll().claim(10)).claims();
        assertThat(claims).hasSize(1);
        return claims.get(0).token();
    }

    private static List<OrderedKey> slowest() {
        return bench.reader().slowestKeys(bench.shard()).join();
    }

    private static OrderedKey only() {
        List<OrderedKey> keys = slowest();
        assertThat(keys).hasSize(1);
        return keys.get(0);
    }

    private static MessageSnapshot head() {
        return requireNonNull(only().head());
    }

    @Test
    void keysAreInTheOrderInWhichTheirParkedMessagesWereDue() {
        bench.send(message("a1", "a", 0), message("b1", "b", 1), message("c1", "c", 2), message("d1", "d", 3));
        bench.send(message("c2", "c", 5), message("a2", "a", 7), message("c3", "c", 8), message("a3", "a", 60_000));
        bench.send(message("b2", "b", 60_000));
        bench.clock(T0 + 10);

        assertThat(slowest())
                .extracting(key -> key.key() + " " + key.parked() + " "
                        + (key.oldestDue().toEpochMilli() - T0) + " "
                        + requireNonNull(key.head()).id())
                .containsExactly("c 2 5 c1", "a 2 7 a1");
    }

    @Test
    void aHeadThatWasNeverClaimedDoesNotHoldItsKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));

        assertThat(only().held()).isFalse();
        assertThat(head().state()).isEqualTo(MessageState.READY);
        assertThat(head().parked()).isFalse();
    }

    @Test
    void aHeadIsShownWhileItIsHandled() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        onlyToken();

        assertThat(only().held()).isTrue();
        assertThat(head())
                .extracting(
                        MessageSnapshot::state,
                        MessageSnapshot::holder,
                        MessageSnapshot::attempts,
                        MessageSnapshot::leaseEnd)
                .containsExactly(MessageState.LEASED, "w1", 1, Instant.ofEpochMilli(T0 + 30_000));
    }

    @Test
    void aHeadThatWaitsForItsNextAttemptHoldsItsKeyUntilItIsRescheduled() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        String token = onlyToken();
        bench.poll(poll().retry("a1", token, 1000, "no"));

        assertThat(only().held()).isTrue();
        assertThat(head())
                .usingRecursiveComparison()
                .isEqualTo(bench.store().find(bench.shard(), "a1").join().orElseThrow());
        assertThat(head().state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(head().attempts()).isOne();
        assertThat(head().lastFailure()).isEqualTo("E: no");
        assertThat(head().dueAt()).isEqualTo(Instant.ofEpochMilli(T0 + 1000));

        bench.reschedule("a1", new Due(T0 + 1000, false));
        assertThat(slowest()).isEmpty();
        assertThat(bench.poll(poll().claim(10)).claims()).extracting(Claim::id).containsExactly("a2");
        bench.clock(T0 + 1000);
        assertThat(head().id()).isEqualTo("a2");
    }

    @Test
    void aPostponedHeadHoldsItsKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        String token = onlyToken();
        bench.poll(poll().postpone("a1", token, 1000, 0));

        assertThat(only().held()).isTrue();
        assertThat(head().attempts()).isZero();
        assertThat(head().postponements()).isOne();
    }

    @Test
    void aSuspectHoldsItsKey() {
        bench.send(message("a1", "a", 0), message("a2", "a", 0));
        for (int crash = 1; crash <= 2; crash++) {
            onlyToken();
            bench.clock(T0 + crash * 40_000L);
            bench.poll(poll().gap(Duration.ofHours(1)));
        }

        assertThat(only().held()).isTrue();
        assertThat(head().state()).isEqualTo(MessageState.SUSPECT);
        assertThat(head().crashes()).isEqualTo(2);
    }

    @Test
    void manyMessagesOfAKeyHideNoOtherKey() {
        bench.send(
                IntStream.range(0, 900).mapToObj(i -> message("a" + i, "a", 0)).toList());
        bench.send(message("b1", "b", 0), message("b2", "b", 1));
        bench.clock(T0 + 1);

        assertThat(bench.commands(() -> assertThat(slowest())
                        .extracting(key -> key.key() + key.parked())
                        .containsExactly("a899", "b1")))
                // for each key, of one parked message, and of the head with its delivery
                .containsEntry("hget", 6L);
    }

    @Test
    void onlyTheFirstThousandParkedMessagesAreLookedAt() {
        bench.send(
                IntStream.range(0, 500).mapToObj(i -> message("a" + i, "a", 0)).toList());
        bench.send(IntStream.range(500, 1001)
                .mapToObj(i -> message("a" + i, "a", 0))
                .toList());
        bench.send(message("b1", "b", 0), message("b2", "b", 1));
        bench.clock(T0 + 1);

        assertThat(slowest()).extracting(OrderedKey::key).containsExactly("a");
        bench.cancel("a1000");
        assertThat(slowest()).extracting(OrderedKey::key).containsExactly("a", "b");
    }

    @Test
    void twentyKeysAreFound() {
        for (int i = 0; i < 25; i++) {
            bench.send(message("head" + i, "k" + i, 0), message("parked" + i, "k" + i, i));
        }
        bench.clock(T0 + 100);

        assertThat(slowest())
                .extracting(OrderedKey::key)
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "k" + i).toList());
    }

    @Test
    void largeMessagesReduceTheNumberOfKeys() {
        for (int i = 0; i < 4; i++) {
            bench.send(large("head" + i, "k" + i), message("parked" + i, "k" + i, i));
        }
        bench.clock(T0 + 10);

        assertThat(slowest()).extracting(OrderedKey::key).containsExactly("k0", "k1");
    }

    private static OutgoingMessage large(String id, String key) {
        return OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, "n", MessageLimits.NONE, key, Map.of(), new byte[1_000_000]);
    }

    @Test
    void whatStoppedScriptsLeftIsPassedOver() {
        bench.send(message("a1", "a", 0), message("a2", "a", 1), message("b1", "b", 0), message("b2", "b", 0));
        bench.redis().call("HDEL", bench.key("messages"), "b2");
        bench.redis().call("HDEL", bench.key("heads"), "a");
        bench.clock(T0 + 1);

        assertThat(only())
                .extracting(OrderedKey::key, OrderedKey::held, OrderedKey::head)
                .containsExactly("a", false, null);
    }

    @Test
    void aKeyHasAnyCharacters() {
        String key = "a b%\u0000\n k=x s=1";
        bench.send(message("a1", key, 0), message("a2", key, 0));

        assertThat(only().key()).isEqualTo(key);
        assertThat(only().parked()).isOne();
    }

    @Test
    void otherTopicsHaveNoKeys() {
        Shard other = Shard.single("other");
        assertThat(bench.reader().slowestKeys(other).join()).isEmpty();
        Calls.send(bench.store(), other, List.of(Sends.after("m", 0)));
        assertThat(bench.reader().slowestKeys(other).join()).isEmpty();
    }
}
