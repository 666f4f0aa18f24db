package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.RequiresDatabase;

@RequiresDatabase(RequiresDatabase.Kind.MARIADB)
class MariadbLockedTableTests extends LockedTableContract {

    @Override
    String lock() {
        return "lock tables delayqueue_outbox write";
    }
}
