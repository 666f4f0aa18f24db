package io.delayqueue.jdbc.once;

import java.util.UUID;

/** Listeners with once on H2. */
class H2OnceTests extends OnceContract {

    @Override
    OnceDatabase newDatabase() {
        return OnceDatabase.create(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000", "sa", "h2");
    }
}
