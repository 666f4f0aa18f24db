package io.delayqueue.proof;

import io.delayqueue.container.EngineSettings;
import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DeadLetterCause;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A node in its own JVM, to be killed by a test. It reports each event as a line on standard output. Each line is
 * written by one call before the next event, so that the parent can still read it from the pipe after the process is
 * killed. The process exits when its standard input is closed.
 */
final class ConsumerProcess implements DelayQueueEvents {

    static final String TOPIC = "processes";
    static final int SHARDS = 4;
    static final Duration LEASE = Duration.ofSeconds(3);
    static final EngineSettings SETTINGS = Pacing.builtIn()
            .heartbeat(Duration.ofMillis(500))
            .sweep(Duration.ofSeconds(1))
            .settings();

    private static final int BROKEN_PIPE = 1;
    private static final Duration SLOW = Duration.ofMillis(300);

    private final FileOutputStream lines = new FileOutputStream(FileDescriptor.out);

    private ConsumerProcess() {}

    /** Consumes from a standalone server, or from a Cluster if several addresses are given. */
    public static void main(String... addresses) throws IOException {
        // keep log output out of the event lines
        System.setOut(System.err);
        ConsumerProcess process = new ConsumerProcess();
        QueueNode node = node(List.of(addresses)).events(process).start();
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(LEASE)
                .maxAttempts(100)
                .retryPolicy(failed -> new RetryAfter(Duration.ofMillis(50)))
                .build();
        node.listen(TOPIC, options, process::handle);
        process.report("ready", "");
        while (System.in.read() >= 0) {
            // wait for the end of standard input
        }
        Runtime.getRuntime().halt(0);
    }

    static QueueNode.Builder node(List<String> addresses) {
        QueueNode.Builder node = addresses.size() == 1
                ? QueueNode.on(Integer.parseInt(addresses.get(0).substring("127.0.0.1:".length())))
                : QueueNode.on(addresses);
        return node.shards(TOPIC, SHARDS).settings(SETTINGS);
    }

    static boolean alwaysFails(int number) {
        return number % 100 == 3;
    }

    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        Delivery delivery = deliveries.get(0);
        String attempt = delivery.id() + " " + delivery.attempt();
        report("started", attempt + " " + delivery.dueAt().toEpochMilli());
        if (delivery.crashes() >= SETTINGS.crashes().isolateAfterCrashes()) {
            report("isolated", attempt);
        }
        int number = Integer.parseInt(delivery.id().substring(1));
        if (alwaysFails(number) || (number % 10 == 5 && delivery.attempt() == 1)) {
            report("failed", attempt);
            throw new IllegalStateException("on purpose");
        }
        if (number % 20 == 11) {
            LockSupport.parkNanos(SLOW.toNanos());
        }
        report("ended", attempt);
        return null;
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        report("acknowledged", id + " " + attempt);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        report("deadLettered", id + " " + cause);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        report("settlementRejected", id);
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        report("leaseLost", id);
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        report("reclaimed", id);
    }

    /** Writes one line. Writes of up to {@code PIPE_BUF} bytes to a pipe are atomic, also between threads. */
    private void report(String what, String details) {
        String line = System.currentTimeMillis() + " " + what + " " + details + "\n";
        try {
            lines.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            Runtime.getRuntime().halt(BROKEN_PIPE);
        }
    }
}
