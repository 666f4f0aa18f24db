package io.delayqueue.autoconfigure.failure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShardCountExceptionTests {

    @Test
    void topicNeverBeginsALine() {
        assertThat(new ShardCountException("t\nERROR forged", 1, 2))
                .message()
                .contains("t\\nERROR forged")
                .doesNotContain("\n");
    }
}
