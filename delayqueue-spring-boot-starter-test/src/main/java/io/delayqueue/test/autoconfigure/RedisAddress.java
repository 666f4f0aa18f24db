package io.delayqueue.test.autoconfigure;

/**
 * Where a Redis for tests listens.
 */
record RedisAddress(String host, int port) {

    @Override
    public String toString() {
        return this.host + ":" + this.port;
    }
}
