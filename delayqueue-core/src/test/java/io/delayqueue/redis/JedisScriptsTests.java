package io.delayqueue.redis;

class JedisScriptsTests extends ScriptRunnerContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.jedis(port);
    }
}
