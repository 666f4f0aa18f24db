package io.delayqueue.redis;

class LettuceSignalsTests extends SignalSourceContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.lettuce(port);
    }
}
