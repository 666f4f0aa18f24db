package io.delayqueue.benchmark.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What fails a run. */
class InvariantsTests {

    @Test
    void tooManyInstructionsOfTheProductFailTheRun() {
        assertThat(instructions(Party.PRODUCT, 75_000)).isEmpty();
        assertThat(instructions(Party.PRODUCT, 75_001))
                .containsExactly("instructions of Redis, delayqueue: send is 75001.0, but must be at most 75000.0");
        assertThat(instructions(Party.REDISSON, 99_000)).isEmpty();
    }

    private static List<String> instructions(Party party, double ofSend) {
        Map<Quantity, Double> values = Map.of(Quantity.OF_SCRIPT, 10_000.0, Quantity.OF_SEND, ofSend);
        return Invariants.violations(
                new Sample(Measure.INSTRUCTIONS, party, 0, 1, values), Entry.of(Measure.INSTRUCTIONS, party, 500, 1));
    }
}
