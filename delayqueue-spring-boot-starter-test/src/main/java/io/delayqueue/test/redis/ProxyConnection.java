package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's way through a {@link FaultProxy}: a thread that takes its requests, one that passes them on when their
 * delay is over, and one that brings the replies.
 */
final class ProxyConnection {

    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    /** How long a closed connection may still hold a delayed request. */
    private static final long MAX_PARK_NANOS = 20_000_000;

    private final Socket client;

    private final Socket server = new Socket();

    private final ProxyFaults faults;

    private final ProxyTraffic traffic;

    private final Consumer<ProxyConnection> onClose;

    private final BlockingQueue<Delayed> requests = new LinkedBlockingQueue<>();

    private final Deque<Outstanding> outstanding = new ArrayDeque<>();

    private final Set<Direction> swallowed = EnumSet.noneOf(Direction.class);

    private boolean subscribed;

    ProxyConnection(Socket client, ProxyFaults faults, ProxyTraffic traffic, Consumer<ProxyConnection> onClose) {
        this.client = client;
        this.faults = faults;
        this.traffic = traffic;
        this.onClose = onClose;
    }

    /**
     * Connects to the server and begins to pass bytes; closes the client's connection if there is no server.
     */
    void open(int serverPort) {
        swallow(this.faults.swallowed());
        run("requests", () -> {
            this.client.setTcpNoDelay(true);
            this.server.setTcpNoDelay(true);
            this.server.connect(Loopback.at(serverPort), CONNECT_TIMEOUT_MILLIS);
            run("delay", this::passRequests);
            run("replies", this::passReplies);
            takeRequests();
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

    private void takeRequests() throws IOException {
        RespFrameReader reader = new RespFrameReader(this.client.getInputStream());
        for (byte[] frame = reader.read(); frame != null; frame = reader.read()) {
            RedisRequest request = new RedisRequest(frame);
            if (isSwallowed(Direction.CLIENT_TO_SERVER)) {
                this.traffic.requested(request, true);
                continue;
            }
            this.traffic.requested(request, expectReply(request));
            long dueNanos = System.nanoTime() + this.faults.delay().toNanos();
            this.requests.add(new Delayed(request, dueNanos));
        }
        close();
    }

    /**
     * Notes that the request waits for its reply.
     *
     * @return whether no other did
     */
    private boolean expectReply(RedisRequest request) {
        CompletableFuture<RedisRequest> cut = this.faults.replyCuts().claim(request);
        synchronized (this.outstanding) {
            boolean first = this.outstanding.isEmpty();
            // From here on, what the server sends is no longer one reply for one request.
            this.subscribed |=
                    request.name().contains("SUBSCRIBE") || request.name().equals("MONITOR");
            if (!this.subscribed) {
                this.outstanding.add(new Outstanding(request, cut));
            }
            return first;
        }
    }

    private void passRequests() throws IOException, InterruptedException {
        OutputStream out = this.server.getOutputStream();
        while (!this.client.isClosed()) {
            Delayed next = this.requests.take();
            for (long left = next.left(); left > 0 && !this.client.isClosed(); left = next.left()) {
                LockSupport.parkNanos(Math.min(left, MAX_PARK_NANOS));
            }
            if (next.request() != null && !isSwallowed(Direction.CLIENT_TO_SERVER)) {
                out.write(next.request().bytes());
            }
        }
    }

    private void passReplies() throws IOException {
        InputStream in = this.server.getInputStream();
        OutputStream out = this.client.getOutputStream();
        RespFrameReader reader = new RespFrameReader(in);
        for (byte[] frame = reader.read(); frame != null; frame = reader.read()) {
            Outstanding request = frame[0] == '>' ? null : answered();
            if (request != null && request.cut() != null) {
                close();
                request.cut().complete(request.request());
                return;
            }
            if (!isSwallowed(Direction.SERVER_TO_CLIENT)) {
                out.write(frame);
            }
        }
        if (!isSwallowed(Direction.SERVER_TO_CLIENT)) {
            close();
        }
    }

    private @Nullable Outstanding answered() {
        synchronized (this.outstanding) {
            return this.outstanding.poll();
        }
    }

    /**
     * Drops what flows these ways from now on. What was dropped cannot be made up for, so this never ends.
     */
    void swallow(Set<Direction> directions) {
        synchronized (this.swallowed) {
            this.swallowed.addAll(directions);
        }
    }

    private boolean isSwallowed(Direction direction) {
        synchronized (this.swallowed) {
            return this.swallowed.contains(direction);
        }
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

    /**
     * Closes both sides; the client reads what it was sent before, then the end.
     */
    void close() {
        closeQuietly(this.client);
        closeQuietly(this.server);
        this.requests.add(new Delayed(null, System.nanoTime())); // Wakes the thread that waits for requests.
        this.onClose.accept(this);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException ex) {
            // Closed is closed.
        }
    }

    private record Outstanding(
            RedisRequest request, @Nullable CompletableFuture<RedisRequest> cut) {}

    private record Delayed(@Nullable RedisRequest request, long dueNanos) {

        long left() {
            return this.dueNanos - System.nanoTime();
        }
    }

    @FunctionalInterface
    private interface Pump {

        void run() throws IOException, InterruptedException;
    }
}
