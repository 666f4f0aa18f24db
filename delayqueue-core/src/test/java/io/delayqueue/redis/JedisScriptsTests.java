package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JedisScriptsTests extends ScriptRunnerContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.jedis(port);
    }

    @Test
    void futureIsGivenBeforeAnythingIsDialled() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        try (QueueConnections connections = new QueueConnections(
                own().application(), QueueConnections.Settings.defaults(), tasks::add, System::nanoTime)) {
            CompletableFuture<List<Object>> reply = new RedisScripts(connections).run(new ScriptCall(INCREMENT, KEY));
            assertThat(reply).isNotDone();
            assertThat(network().traffic().connections()).isZero();

            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
            assertThat(reply.join()).containsExactly(1L);
        }
    }
}
