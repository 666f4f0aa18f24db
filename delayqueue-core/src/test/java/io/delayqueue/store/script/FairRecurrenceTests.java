package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Recurring messages in a fair topic. */
class FairRecurrenceTests extends RecurrenceContract {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    FairRecurrenceTests() {
        super(bench, "k");
    }
}
