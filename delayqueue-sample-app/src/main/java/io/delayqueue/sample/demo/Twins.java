package io.delayqueue.sample.demo;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.Delivery;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import io.delayqueue.template.DelayQueueOperations;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Shows what happens to the message of a killed process: starts a second process with a listener of the same topic, kills it
 * as {@code kill -9} does while it handles a message, and handles the message itself. Thread-safe.
 */
@Component
final class Twins {

    /** What the journal names it. */
    private static final String NAME = "kill -9";

    private static final String LISTENER = "survivor";

    private final DelayQueueOperations delayQueue;
    private final DelayListenerRegistry listeners;
    private final DataRedisConnectionDetails redis;
    private final Environment environment;
    private final Journal journal;
    private @Nullable Process twin;
    private boolean killed;

    Twins(
            DelayQueueOperations delayQueue,
            DelayListenerRegistry listeners,
            DataRedisConnectionDetails redis,
            Environment environment,
            Journal journal) {
        this.delayQueue = delayQueue;
        this.listeners = listeners;
        this.redis = redis;
        this.environment = environment;
        this.journal = journal;
    }

    /**
     * Starts a process, which is killed as soon as it handles a message.
     *
     * @throws ResponseStatusException if it runs
     */
    synchronized void startAndKill() {
        if (twin != null && twin.isAlive()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "The second process is still running.");
        }
        // so that only the other process can claim the message
        listeners.pause(LISTENER);
        killed = false;
        Process started = start();
        twin = started;
        journal.add(NAME, Actor.SHOP, "Started a second process, %s, and sent a message.".formatted(started.pid()));
        delayQueue.send(Twin.TOPIC, new Twin.Work(started.pid()), Duration.ZERO);
        started.onExit().thenRun(this::ended);
    }

    private Process start() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                Twin.class.getName(),
                "--delayqueue.namespace=" + environment.getProperty("delayqueue.namespace", "dq")));
        // not in the properties, if the command of the README has started Redis
        Standalone address = redis.getStandalone();
        if (address != null) {
            command.add("--spring.data.redis.host=" + address.getHost());
            command.add("--spring.data.redis.port=" + address.getPort());
        }
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            listeners.resume(LISTENER);
            throw new UncheckedIOException(e);
        }
    }

    /** Called when the other process handles its message. */
    @DelayListener(topic = Twin.NEWS)
    synchronized void kill(Twin.Work work) {
        if (twin != null && twin.pid() == work.process() && twin.isAlive()) {
            killed = true;
            twin.destroyForcibly();
        }
    }

    private synchronized void ended() {
        journal.add(
                NAME,
                Actor.SHOP,
                killed
                        ? "Killed the process while it handled the message. Its lease ends within %s."
                                .formatted(Twin.LEASE)
                        : "The second process ended before it handled the message.");
        listeners.resume(LISTENER);
    }

    @DelayListener(id = LISTENER, topic = Twin.TOPIC, lease = Twin.LEASE)
    void survive(Twin.Work work, Delivery delivery) {
        journal.handled(
                NAME,
                delivery,
                "This process handled the message of process %s. Leases that ended unsettled: %s."
                        .formatted(work.process(), delivery.crashes()));
    }

    @PreDestroy
    synchronized void close() {
        if (twin != null) {
            twin.destroyForcibly();
        }
    }
}
