package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Random histories of schedules in a fair topic. */
class FairRecurrenceHistoriesTests extends RecurrenceHistories {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    FairRecurrenceHistoriesTests() {
        super(bench, "k");
    }
}
