package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlLockedTableTests extends LockedTableContract {

    @Override
    String lock() {
        return "lock table delayqueue_outbox in access exclusive mode";
    }
}
