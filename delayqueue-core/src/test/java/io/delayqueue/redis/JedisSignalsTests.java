package io.delayqueue.redis;

class JedisSignalsTests extends SignalSourceContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.jedis(port);
    }
}
