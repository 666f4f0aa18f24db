package io.delayqueue.store.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.delayqueue.store.bench.StoreBench;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IdempotencyKeysTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withServerClock();

    private IdempotencyKeys keys;

    @BeforeEach
    void keys() {
        keys = new IdempotencyKeys(bench.scripts(), bench.keySpace(), new SecureRandom());
    }

    @Test
    void aRepeatGetsTheFirstReservation() {
        Reservation first = keys.reserve("orders", "k\n 'x", "f", List.of("a", "b"));

        assertThat(first.ids()).containsExactly("a", "b");
        assertThat(first.nonce(0)).matches("i[a-z0-9]{24}").isNotEqualTo(first.nonce(1));
        assertThat(first.isRepeat()).isFalse();
        assertThat(keys.reserve("orders", "k\n 'x", "f", List.of("c", "d")))
                .isEqualTo(new Reservation(first.nonce(), first.ids(), true));
    }

    @Test
    void aKeyStandsForOneRequest() {
        keys.reserve("orders", "k", "f", List.of());

        assertThatThrownBy(() -> keys.reserve("orders", "k", "g", List.of()))
                .isInstanceOf(KeyReusedException.class)
                .hasMessage("The idempotency key 'k' was used with another request in the last 24 hours");
    }

    @Test
    void keysOfDifferentTopicsNeverMeet() {
        Reservation one = keys.reserve("a", "1:b", "f", List.of());

        assertThat(List.of(
                        keys.reserve("b", "1:b", "f", List.of()).nonce(),
                        keys.reserve("a1", ":b", "f", List.of()).nonce(),
                        keys.reserve("a1:", "b", "f", List.of()).nonce()))
                .doesNotContain(one.nonce())
                .doesNotHaveDuplicates();
    }

    /** So of many at once, all get the same. */
    @Test
    void aReservationIsOneScriptCall() {
        keys.reserve("orders", "k", "f", List.of());
        assertThat(bench.commands(() -> keys.reserve("orders", "k2", "f", List.of())))
                .containsEntry("evalsha", 1L);
    }

    @Test
    void aReservationEndsAfterADay() {
        keys.reserve("orders", "k", "f", List.of());

        assertThat(bench.redis().call("KEYS", "dq:idempotency:*"))
                .asInstanceOf(LIST)
                .singleElement()
                .satisfies(key -> assertThat((Long) bench.redis().call("PTTL", key))
                        .isBetween(1L, IdempotencyKeys.RESERVED.toMillis()));
    }
}
