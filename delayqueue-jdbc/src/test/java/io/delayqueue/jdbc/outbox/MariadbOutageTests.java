package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.DatabaseServer;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutageTests extends DatabaseOutageContract {

    @Override
    DatabaseServer server() {
        return Databases.maria();
    }
}
