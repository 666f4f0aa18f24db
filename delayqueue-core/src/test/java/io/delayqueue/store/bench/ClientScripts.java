package io.delayqueue.store.bench;

import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Runs scripts by the client and the connections of an application, whose commands have a minute. */
public final class ClientScripts implements ScriptRunner, AutoCloseable {

    private final QueueConnections connections;
    private final ScriptRunner scripts;

    /** Connects to a server on this machine. */
    public ClientScripts(int port) {
        this(new LettuceConnectionFactory("127.0.0.1", port));
    }

    /** Connects as a factory would. */
    public ClientScripts(LettuceConnectionFactory application) {
        connections = new QueueConnections(
                application,
                new QueueConnections.Settings(Duration.ofMinutes(1), Duration.ofSeconds(1)),
                System::nanoTime);
        scripts = new RedisScripts(connections, (script, failure) -> {});
    }

    @Override
    public CompletableFuture<List<Object>> run(ScriptCall call) {
        return scripts.run(call);
    }

    @Override
    public void close() {
        connections.close();
    }
}
