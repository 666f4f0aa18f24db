package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random histories of schedules in an ordered topic. */
class OrderedRecurrenceHistoriesTests extends RecurrenceHistories {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    OrderedRecurrenceHistoriesTests() {
        super(bench, "k");
    }
}
