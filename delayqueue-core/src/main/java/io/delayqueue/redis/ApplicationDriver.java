package io.delayqueue.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;

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
    public MasterConnection connectToMaster(@Nullable RedisNode node) {
        throw new UnsupportedOperationException("durability on replicas requires a LettuceConnectionFactory or"
                + " JedisConnectionFactory, from which the delay queue derives its own connections");
    }

    @Override
    public String server() {
        return ServerAddress.of(null);
    }
}
