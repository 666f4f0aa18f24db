package io.delayqueue.proof;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A node in its own JVM, to be killed by a test. It reports each event as a line on standard output. Each line is
 * written by one call before the next event, so that the parent can still read it from the pipe after the process is
 * killed. The process exits when its standard input is closed, and halts when it handles a message whose id begins with
 * {@link #KILLER}.
 */
final class ConsumerProcess implements DelayQueueEvents {

    static final String TOPIC = "processes";
    static final String KILLER = "killer";
    /** The message is handled until the process is killed. */
    static final String ENDLESS = "endless";

    static final EngineSettings SETTINGS = Pacing.builtIn()
            .heartbeat(Duration.ofMillis(500))
            .sweep(Duration.ofSeconds(1))
            .settings();

    private final FileOutputStream lines = new FileOutputStream(FileDescriptor.out);

    private ConsumerProcess() {}

    /** Consumes from the server at a port, with a lease of some milliseconds. */
    public static void main(String... portAndLease) throws IOException {
        System.setOut(System.err); // keep log output out of the event lines
        ConsumerProcess process = new ConsumerProcess();
        QueueNode node = QueueNode.on(Integer.parseInt(portAndLease[0]))
                .settings(SETTINGS)
                .events(process)
                .start();
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofMillis(Long.parseLong(portAndLease[1])))
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

    static boolean alwaysFails(int number) {
        return number % 100 == 3;
    }

    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        Delivery delivery = deliveries.get(0);
        Instant slot = delivery.slot();
        String attempt = delivery.id() + " " + delivery.attempt() + " " + new String(delivery.body(), UTF_8)
                + (slot == null ? "" : " " + slot.toEpochMilli());
        report("started", attempt);
        if (delivery.id().startsWith(KILLER)) {
            Runtime.getRuntime().halt(1);
        }
        while (delivery.id().startsWith(ENDLESS)) {
            LockSupport.park();
        }
        int number = Integer.parseInt(delivery.id().substring(1));
        if (alwaysFails(number) || (number % 10 == 5 && delivery.attempt() == 1)) {
            report("failed", attempt);
            throw new IllegalStateException("on purpose");
        }
        LockSupport.parkNanos(number % 20 == 11 ? 300_000_000 : 0);
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

    /** Writes one line. Writes of up to {@code PIPE_BUF} bytes to a pipe are atomic, also between threads. */
    private void report(String what, String details) {
        String line = System.currentTimeMillis() + " " + what + " " + details + "\n";
        try {
            lines.write(line.getBytes(UTF_8));
        } catch (IOException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
