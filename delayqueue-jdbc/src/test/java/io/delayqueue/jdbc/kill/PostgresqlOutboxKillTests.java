package io.delayqueue.jdbc.kill;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.DatabaseServer;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOutboxKillTests extends OutboxKillContract {

    @Override
    DatabaseServer database() {
        return Databases.postgres();
    }
}
