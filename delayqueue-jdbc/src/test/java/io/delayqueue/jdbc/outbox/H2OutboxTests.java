package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.testing.TestDatabase;

class H2OutboxTests extends OutboxContract {

    @Override
    TestDatabase database() {
        return new H2Database("contract");
    }
}
