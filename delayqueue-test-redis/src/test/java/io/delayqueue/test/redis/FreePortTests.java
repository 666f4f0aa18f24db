package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortTests {

    /** Without reservations, the test would succeed once in two thousand runs. */
    @Test
    void freePortIsFoundOnce() {
        int[] ports = IntStream.range(0, 500).map(i -> FreePort.find(false)).toArray();

        assertThat(ports).doesNotHaveDuplicates();
    }
}
