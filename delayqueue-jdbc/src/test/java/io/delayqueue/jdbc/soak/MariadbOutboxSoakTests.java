package io.delayqueue.jdbc.soak;

import io.delayqueue.jdbc.database.DatabaseServer;
import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutboxSoakTests extends OutboxSoakContract {

    @Override
    DatabaseServer database() {
        return Databases.maria();
    }
}
