package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutboxFaultTests extends OutboxFaultContract {

    @Override
    TestDatabase database() {
        return Databases.maria();
    }

    /** A prime, so that each kind of fault is among them. {@link MariadbAllOutboxFaultsTests} tests them all. */
    @Override
    int step() {
        return 7;
    }
}
