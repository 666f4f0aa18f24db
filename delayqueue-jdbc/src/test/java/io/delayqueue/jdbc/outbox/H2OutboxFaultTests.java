package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.testing.TestDatabase;

class H2OutboxFaultTests extends OutboxFaultContract {

    @Override
    TestDatabase database() {
        return new H2Database("faults");
    }

    /** A prime, so that each kind of fault is among them. {@link H2AllOutboxFaultsTests} tests them all. */
    @Override
    int step() {
        return 7;
    }
}
