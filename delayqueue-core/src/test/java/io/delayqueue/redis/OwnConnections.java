package io.delayqueue.redis;

import io.delayqueue.redis.QueueConnections.Settings;
import io.delayqueue.testing.SystemClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An application's connection factory, and what the queue derives from it. */
final class OwnConnections implements AutoCloseable {

    /** Short, for tests that wait for it. */
    static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Long, for all others: a busy machine may take more than the short one for a call, or for a dial. */
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(10);

    private final LettuceConnectionFactory application;
    private final AtomicLong elapsed = new AtomicLong();
    private QueueConnections connections;

    private OwnConnections(LettuceConnectionFactory application, Duration timeout) {
        this.application = application;
        this.connections = connections(timeout);
    }

    private QueueConnections connections(Duration timeout) {
        return new QueueConnections(
                application, new Settings(timeout, Duration.ofSeconds(1)), () -> SystemClock.nanos() + elapsed.get());
    }

    /** With the short timeout. */
    static OwnConnections impatient(LettuceConnectionFactory application) {
        return of(application, TIMEOUT);
    }

    static OwnConnections of(LettuceConnectionFactory application) {
        return of(application, LONG_TIMEOUT);
    }

    static OwnConnections of(LettuceConnectionFactory application, Duration timeout) {
        return new OwnConnections(application, timeout);
    }

    static OwnConnections lettuce(int port) {
        FirstConnection.make(port);
        return of(new LettuceConnectionFactory("127.0.0.1", port));
    }

    /** Starts the factory, which costs the time of its shutdown. */
    LettuceConnectionFactory application() {
        application.start();
        return application;
    }

    QueueConnections connections() {
        return connections;
    }

    /** Other connections, with the default time limits, that connect on an executor. The caller closes them. */
    QueueConnections connections(Executor executor, LongSupplier nanoTime) {
        Settings settings = Settings.defaults();
        return new QueueConnections(new LettuceClient(application, settings), settings, executor, nanoTime);
    }

    /** Moves the clock of the connections forward. */
    void elapse(Duration time) {
        elapsed.addAndGet(time.toNanos());
    }

    /** Begins anew with the short timeout. */
    void useShortTimeout() {
        connections.close();
        connections = connections(TIMEOUT);
    }

    RedisScripts scripts() {
        return new RedisScripts(connections, (script, failure) -> {});
    }

    @Override
    public void close() throws Exception {
        connections.close();
        application.destroy();
    }

    static LuaScript script(String name, String text) {
        return LuaScript.of(name, text);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
