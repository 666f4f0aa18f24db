package io.delayqueue.test.autoconfigure;

/** Address of a Redis for tests. */
record RedisAddress(String host, int port) {

    @Override
    public String toString() {
        return this.host + ":" + this.port;
    }
}
