package io.delayqueue.redis;

class JedisDurableCallsTests extends DurableCallsContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.jedis(port);
    }
}
