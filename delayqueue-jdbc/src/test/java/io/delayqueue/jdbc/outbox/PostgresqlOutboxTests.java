package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOutboxTests extends OutboxContract {

    @Override
    TestDatabase database() {
        return Databases.postgres();
    }
}
