package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random histories of schedules in a topic without keys. */
class RecurrenceHistoriesTests extends RecurrenceHistories {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    RecurrenceHistoriesTests() {
        super(bench, null);
    }
}
