package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutageTests extends DatabaseOutageContract {}
