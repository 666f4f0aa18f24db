package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortTests {

    /** Without reservations the chance is one in two thousand. */
    @Test
    void aFreePortIsFoundOnce() {
        int[] ports = IntStream.range(0, 500).map(i -> FreePort.find(false)).toArray();

        assertThat(ports).doesNotHaveDuplicates();
    }
}
