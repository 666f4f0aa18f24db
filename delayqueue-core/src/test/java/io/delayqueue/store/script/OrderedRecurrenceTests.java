package io.delayqueue.store.script;

import io.delayqueue.store.bench.StoreBench;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Recurring messages in an ordered topic. */
class OrderedRecurrenceTests extends RecurrenceContract {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    OrderedRecurrenceTests() {
        super(bench, "k");
    }
}
