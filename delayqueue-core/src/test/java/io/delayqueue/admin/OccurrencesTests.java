package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Later occurrences by time. */
class OccurrencesTests {

    @Test
    void firstOfEachScheduleAfterTheBeginIsLeftOut() {
        Occurrences occurrences = new Occurrences(List.of(new long[] {5, 10, 20, 30, 40}, new long[] {12, 22}), true);
        assertThat(occurrences.count(0, 10, 20, 30)).containsExactly(1, 1, 2);
        assertThat(occurrences.count(5, 10, 20, 30))
                .as("a time belongs to the span that it ends")
                .containsExactly(0, 1, 2);
        assertThat(occurrences.count(15, 25, 35)).containsExactly(0, 1);
        assertThat(occurrences.count(50, 60)).containsExactly(0);
        assertThat(Occurrences.NONE.count(0, 10)).containsExactly(0);
    }
}
