package io.delayqueue.test.autoconfigure;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Leads Spring Boot's Redis auto-configuration to the Redis for tests, which is started when it is asked for.
 *
 * <p>That server knows no users, passwords and certificates, so those of the application's properties are left out; the
 * number of the database is kept.
 */
final class TestRedisConnectionDetails implements DataRedisConnectionDetails {

    private final Supplier<RedisAddress> address;

    private final int database;

    TestRedisConnectionDetails(Supplier<RedisAddress> address, int database) {
        this.address = address;
        this.database = database;
    }

    @Override
    public Standalone getStandalone() {
        RedisAddress found = this.address.get();
        return Standalone.of(found.host(), found.port(), this.database);
    }

    @Override
    public @Nullable String getUsername() {
        return null;
    }

    @Override
    public @Nullable String getPassword() {
        return null;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return null;
    }
}
