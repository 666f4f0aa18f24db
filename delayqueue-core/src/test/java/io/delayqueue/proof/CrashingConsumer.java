package io.delayqueue.proof;

import io.delayqueue.container.EngineSettings;
import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that consumes a topic until its standard input ends, or until it handles a message whose id begins with
 * {@link #KILLER}. It writes a line with the id of each message that it has handled, and of each message whose id begins
 * with {@link #ENDLESS} when it begins to handle it.
 */
final class CrashingConsumer {

    static final String TOPIC = "crashing";
    static final String KILLER = "killer";

    /** The message is handled until the process is killed. */
    static final String ENDLESS = "endless";

    static final Duration LEASE = Duration.ofSeconds(2);
    static final EngineSettings SETTINGS = Pacing.builtIn()
            .heartbeat(Duration.ofMillis(500))
            .sweep(Duration.ofSeconds(1))
            .settings();

    private static final Duration HANDLING = Duration.ofMillis(10);

    private final FileOutputStream lines = new FileOutputStream(FileDescriptor.out);

    private CrashingConsumer() {}

    /** Consumes from the server at a port, with a lease of some milliseconds. */
    public static void main(String... portAndLease) throws IOException {
        System.setOut(System.err); // keep log output out of the lines
        CrashingConsumer process = new CrashingConsumer();
        QueueNode node = QueueNode.on(Integer.parseInt(portAndLease[0]))
                .settings(SETTINGS)
                .start();
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofMillis(Long.parseLong(portAndLease[1])))
                .maxAttempts(3)
                .build();
        node.listen(TOPIC, options, deliveries -> {
            String id = deliveries.get(0).id();
            if (id.startsWith(KILLER)) {
                Runtime.getRuntime().halt(1);
            }
            LockSupport.parkNanos(HANDLING.toNanos());
            process.report(id);
            while (id.startsWith(ENDLESS)) {
                LockSupport.park();
            }
            return null;
        });
        process.report("ready");
        while (System.in.read() >= 0) {
            // wait for the end of standard input
        }
        Runtime.getRuntime().halt(0);
    }

    private void report(String line) {
        try {
            lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
