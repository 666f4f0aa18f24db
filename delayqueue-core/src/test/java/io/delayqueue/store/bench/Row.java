package io.delayqueue.store.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;

/**
 * One row of a state table: the exact state before, a call, its result, and the exact state after.
 *
 * @param rule rule that the row tests; name of the test case
 */
public record Row(String rule, ShardState before, Function<StoreBench, Object> call, Object result, ShardState after) {

    /** A row whose call leaves the state unchanged. */
    public static Row unchanged(String rule, ShardState state, Function<StoreBench, Object> call, Object result) {
        return new Row(rule, state, call, result, state);
    }

    /** Writes the state before, runs the call, and checks result and state; then the same on the scripts' long way. */
    public void check(StoreBench bench) {
        checkOnce(bench);
        bench.reset();
        bench.takeLongWay();
        checkOnce(bench);
    }

    private void checkOnce(StoreBench bench) {
        bench.given(before);
        assertThat(call.apply(bench)).as("result").isEqualTo(result);
        assertThat(bench.state()).as("state after").hasToString(after.toString());
    }

    @Override
    public String toString() {
        return rule;
    }
}
