package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurabilityTests {

    @Test
    void textIsParsed() {
        assertThat(Durability.parse(" replicas 1  within 500ms "))
                .isEqualTo(Durability.replicas(1, Duration.ofMillis(500)));
        assertThat(Durability.parse("fsynced 0 within 2s")).isEqualTo(Durability.fsynced(0, Duration.ofSeconds(2)));
        assertThat(Durability.parse("none")).isEqualTo(Durability.NONE);
    }

    @Test
    void textOfADurabilityIsReadAgain() {
        for (Durability each : new Durability[] {
            Durability.NONE, Durability.replicas(3, Duration.ofSeconds(1)), Durability.fsynced(0, Duration.ofMillis(1))
        }) {
            assertThat(Durability.parse(each.toString())).isEqualTo(each);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "replicas", "replicas 1", "1 within 1s", "replicas -1 within 1s", "replicas 1 within"})
    @ValueSource(strings = {"replicas 1 within soon", "replicas 1 within 5", "replicas 101 within 1s", "None"})
    @ValueSource(strings = {"replicas 1 within 0ms", "replicas 1 within 2m", "fsynced 1 within 61s"})
    void invalidTextIsRejected(String text) {
        assertThatThrownBy(() -> Durability.parse(text))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageStartingWith("durability ");
    }

    @Test
    void valuesOutOfRangeAreRejected() {
        assertThatThrownBy(() -> Durability.replicas(0, Duration.ofSeconds(1)))
                .hasMessage("replicas must be from 1 to 100, but was 0");
        assertThatThrownBy(() -> Durability.fsynced(1, Duration.ofNanos(1)))
                .hasMessageStartingWith("within must be from 1 ms to 1 min");
    }
}
