package io.delayqueue.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Uses the application's own connection factory unchanged and never closes it. */
final class ApplicationDriver implements Driver {

    private final RedisConnectionFactory factory;

    ApplicationDriver(RedisConnectionFactory factory) {
        this.factory = factory;
    }

    @Override
    public RedisConnectionFactory forCommands() {
        return factory;
    }

    @Override
    public RedisConnectionFactory forSignals() {
        return factory;
    }

    @Override
    public void release(RedisConnectionFactory factory) {}

    @Override
    public String server() {
        return ServerAddress.of(null);
    }
}
