package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOutboxFaultTests extends OutboxFaultContract {

    @Override
    TestDatabase database() {
        return Databases.postgres();
    }

    /** A prime, so that each kind of fault is among them. {@link PostgresqlAllOutboxFaultsTests} tests them all. */
    @Override
    int step() {
        return 7;
    }
}
