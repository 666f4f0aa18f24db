package io.delayqueue.store.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.delayqueue.template.RedisTest;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdempotencyKeysTests extends RedisTest {

    private IdempotencyKeys keys;

    @BeforeEach
    void keys() {
        keys = new IdempotencyKeys(queue.scripts(), queue.keySpace(), new SecureRandom());
    }

    @Test
    void aRepeatGetsTheFirstReservation() {
        Reservation first = keys.reserve("orders", "k", "f", List.of("a", "b"));

        assertThat(first.ids()).containsExactly("a", "b");
        assertThat(first.nonce(0)).matches("i[a-z0-9]{24}").isNotEqualTo(first.nonce(1));
        assertThat(first.isRepeat()).isFalse();
        assertThat(keys.reserve("orders", "k", "f", List.of("c", "d")))
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

    @Test
    void ofManyAtOnceAllGetTheSame() {
        queue.open("orders"); // connects
        List<Reservation> reservations = IntStream.range(0, 16)
                .mapToObj(i ->
                        CompletableFuture.supplyAsync(() -> keys.reserve("orders", "k\n 'x", "f", List.of("id" + i))))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(reservations)
                .extracting(Reservation::nonce)
                .containsOnly(reservations.get(0).nonce());
        assertThat(reservations)
                .extracting(Reservation::ids)
                .containsOnly(reservations.get(0).ids());
        assertThat(reservations)
                .filteredOn(reservation -> !reservation.isRepeat())
                .hasSize(1);
    }

    @Test
    void aReservationEndsAfterADay() {
        keys.reserve("orders", "k", "f", List.of());

        assertThat(server.command("KEYS", "dq:idempotency:*"))
                .asInstanceOf(LIST)
                .singleElement()
                .satisfies(key -> assertThat((Long) server.command("PTTL", text(key)))
                        .isBetween(1L, IdempotencyKeys.RESERVED.toMillis()));
    }

    private static String text(Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, UTF_8) : reply.toString();
    }
}
