package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.jdbc.database.TestDatabase;

class H2OutboxFaultTests extends OutboxFaultContract {

    @Override
    TestDatabase database() {
        return new H2Database("faults");
    }
}
