package io.delayqueue.jdbc.once;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.UUID;

/** Listeners with once on H2. */
class H2OnceTests extends OnceContract {

    H2OnceTests(RedisServerProcess redis) {
        super(redis);
    }

    @Override
    OnceDatabase newDatabase() {
        return OnceDatabase.create(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000", "sa", "h2");
    }
}
