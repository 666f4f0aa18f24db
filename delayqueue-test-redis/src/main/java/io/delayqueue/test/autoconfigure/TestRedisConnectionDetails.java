package io.delayqueue.test.autoconfigure;

import java.util.function.Supplier;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * Connects Spring Boot's Redis auto-configuration to the Redis for tests. That server requires no user, password or
 * certificate, so that the corresponding properties of the application do not apply.
 *
 * @param address starts the server if it does not run
 * @param database the database of the application's properties
 */
record TestRedisConnectionDetails(Supplier<RedisAddress> address, int database) implements DataRedisConnectionDetails {

    static final String DIRECTORY = "delayqueue-test.redis-directory";

    @Override
    public Standalone getStandalone() {
        RedisAddress found = address.get();
        return Standalone.of(found.host(), found.port(), database);
    }
}
