package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutboxTests extends OutboxContract {

    @Override
    TestDatabase database() {
        return Databases.maria();
    }
}
