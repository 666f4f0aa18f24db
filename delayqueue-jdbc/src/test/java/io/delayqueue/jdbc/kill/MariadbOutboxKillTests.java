package io.delayqueue.jdbc.kill;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbOutboxKillTests extends OutboxKillContract {}
