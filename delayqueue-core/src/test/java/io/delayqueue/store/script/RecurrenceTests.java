package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Recurring messages in a topic without keys. */
class RecurrenceTests extends RecurrenceContract {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    RecurrenceTests() {
        super(bench, null);
    }
}
