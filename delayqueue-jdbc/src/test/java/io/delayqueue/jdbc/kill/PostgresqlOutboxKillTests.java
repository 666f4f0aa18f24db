package io.delayqueue.jdbc.kill;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOutboxKillTests extends OutboxKillContract {}
