package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOutboxTests extends OutboxContract {}
