package io.delayqueue.store.script;

import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Base of tests with a state table: the static method {@code table} of each subclass returns the rows. */
abstract class ScriptTable {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void table(Row row) {
        row.check(bench);
    }
}
