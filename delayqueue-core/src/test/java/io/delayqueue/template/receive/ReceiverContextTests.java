package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiverContextTests {

    @Test
    void allTasksRunEvenIfOneThrows() {
        List<String> ran = new ArrayList<>();
        OutOfMemoryError first = new OutOfMemoryError("for the test");

        assertThatThrownBy(() -> ReceiverContext.runAll(List.of(
                        () -> ran.add("a"),
                        () -> {
                            throw first;
                        },
                        () -> {
                            throw new IllegalStateException("later");
                        },
                        () -> ran.add("b"))))
                .isSameAs(first);

        assertThat(ran).containsExactly("a", "b");
    }
}
