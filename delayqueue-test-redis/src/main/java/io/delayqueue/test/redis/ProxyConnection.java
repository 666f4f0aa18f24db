package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection through a {@link FaultProxy}. In each direction, one thread reads and one thread forwards after
 * the delay.
 */
final class ProxyConnection {

    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    private final Socket client;

    private final Socket server = new Socket();

    private final ProxyFaults faults;

    private final ProxyTraffic traffic;

    private final Consumer<ProxyConnection> onClose;

    private final DelayLine requests = new DelayLine();

    private final DelayLine replies = new DelayLine();

    private final Deque<Outstanding> outstanding = new ArrayDeque<>();

    private final Set<Direction> swallowed = EnumSet.noneOf(Direction.class);

    private boolean subscribed;

    /** Whether the client is a replica of the server. */
    private volatile boolean replica;

    /** Whether the server sends a replication stream after its next reply. */
    private volatile boolean streaming;

    ProxyConnection(Socket client, ProxyFaults faults, ProxyTraffic traffic, Consumer<ProxyConnection> onClose) {
        this.client = client;
        this.faults = faults;
        this.traffic = traffic;
        this.onClose = onClose;
    }

    /** Connects to the server and starts forwarding. Closes the client's connection if the server is not running. */
    void open(int serverPort) {
        swallow(this.faults.swallowed());
        run("requests", () -> {
            this.client.setTcpNoDelay(true);
            this.server.setTcpNoDelay(true);
            this.server.connect(Loopback.at(serverPort), CONNECT_TIMEOUT_MILLIS);
            run("request-line", () -> this.requests.run(this::isOpen));
            run("reply-line", () -> this.replies.run(this::isOpen));
            run("replies", this::forwardReplies);
            forwardRequests();
        });
    }

    private void run(String name, Pump pump) {
        Thread thread = new Thread(
                () -> {
                    try {
                        pump.run();
                    } catch (IOException ex) {
                        close();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                        close();
                    }
                },
                "fault-proxy-" + name + "-" + this.client.getPort());
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isOpen() {
        return !this.client.isClosed();
    }

    private void forwardRequests() throws IOException {
        OutputStream out = this.server.getOutputStream();
        RespFrameReader reader = new RespFrameReader(this.client.getInputStream());
        for (byte[] next = reader.read(); next != null; next = reader.read()) {
            byte[] frame = next;
            RedisRequest request = new RedisRequest(frame);
            if (isOfReplica(request)) {
                this.requests.put(Duration.ZERO, () -> out.write(frame));
                continue;
            }
            if (isSwallowed(Direction.CLIENT_TO_SERVER)) {
                this.traffic.requested(request, true);
                continue;
            }
            this.traffic.requested(request, expectReply(request));
            this.requests.put(this.faults.delay(Direction.CLIENT_TO_SERVER), () -> {
                if (!isSwallowed(Direction.CLIENT_TO_SERVER)) {
                    out.write(frame);
                }
            });
        }
        close();
    }

    /**
     * Whether the request comes from a replica, which identifies itself before it requests data.
     */
    private boolean isOfReplica(RedisRequest request) {
        String name = request.name();
        boolean asksForData = name.equals("PSYNC") || name.equals("SYNC");
        this.replica |= asksForData || name.equals("REPLCONF");
        this.streaming |= asksForData;
        return this.replica;
    }

    /**
     * Registers a request that waits for its reply.
     *
     * @return whether no other request was waiting
     */
    private boolean expectReply(RedisRequest request) {
        CompletableFuture<RedisRequest> cut = this.faults.cutReply(request);
        synchronized (this.outstanding) {
            boolean first = this.outstanding.isEmpty();
            // From now on, the server may send messages that are not replies.
            this.subscribed |=
                    request.name().contains("SUBSCRIBE") || request.name().equals("MONITOR");
            if (!this.subscribed) {
                this.outstanding.add(new Outstanding(request, cut));
            }
            return first;
        }
    }

    private void forwardReplies() throws IOException {
        OutputStream out = this.client.getOutputStream();
        RespFrameReader reader = new RespFrameReader(this.server.getInputStream());
        for (byte[] next = reader.read(); next != null; next = reader.read()) {
            byte[] frame = next;
            Outstanding request = frame[0] == '>' ? null : nextOutstanding();
            CompletableFuture<RedisRequest> cut = request == null ? null : request.cut();
            if (request != null && cut != null) {
                inTurn(() -> {
                    close();
                    cut.complete(request.request());
                });
                return;
            }
            inTurn(() -> {
                if (!isSwallowed(Direction.SERVER_TO_CLIENT)) {
                    out.write(frame);
                }
            });
            if (this.streaming) {
                reader.copyRest(out);
            }
        }
        inTurn(() -> {
            if (!isSwallowed(Direction.SERVER_TO_CLIENT)) {
                close();
            }
        });
    }

    /**
     * Executes an action after all earlier actions and after the delay. Without a delay and without earlier actions that
     * wait, it runs on the calling thread.
     */
    private void inTurn(DelayLine.Step step) throws IOException {
        Duration delay = this.replica ? Duration.ZERO : this.faults.delay(Direction.SERVER_TO_CLIENT);
        if (delay.isZero() && this.replies.isEmpty()) {
            step.run();
        } else {
            this.replies.put(delay, step);
        }
    }

    private @Nullable Outstanding nextOutstanding() {
        synchronized (this.outstanding) {
            return this.outstanding.poll();
        }
    }

    /** Drops all bytes in these directions from now on. This is permanent, since dropped bytes cannot be recovered. */
    void swallow(Set<Direction> directions) {
        synchronized (this.swallowed) {
            this.swallowed.addAll(directions);
        }
    }

    private boolean isSwallowed(Direction direction) {
        synchronized (this.swallowed) {
            return !this.replica && this.swallowed.contains(direction);
        }
    }

    boolean isReplica() {
        return this.replica;
    }

    /**
     * Closes both sides as a crashed peer does: by a reset.
     */
    void reset() {
        try {
            this.client.setSoLinger(true, 0);
        } catch (IOException ex) {
            // Closed already.
        }
        close();
    }

    /** Closes both sides. The client reads the bytes that were sent before, then the end of the stream. */
    void close() {
        closeQuietly(this.client);
        closeQuietly(this.server);
        this.requests.wake();
        this.replies.wake();
        this.onClose.accept(this);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException ex) {
            // The socket cannot be used any more in either case.
        }
    }

    private record Outstanding(
            RedisRequest request, @Nullable CompletableFuture<RedisRequest> cut) {}

    @FunctionalInterface
    private interface Pump {

        void run() throws IOException, InterruptedException;
    }
}
