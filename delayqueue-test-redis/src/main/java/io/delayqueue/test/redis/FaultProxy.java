package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of a Redis server that injects network faults and counts the traffic.
 *
 * <p>Faults are cumulative until {@link #pass()} ends all of them. The proxy parses requests and replies (RESP 2 and
 * 3), so that a fault never splits a command. A client that connects while the server is down is accepted and then
 * disconnected. Messages of subscriptions are forwarded, but not matched with requests.
 *
 * <p>A replica that follows the server through the proxy is not a client: its connection is not counted, and faults do
 * not affect it once it is established. While new connections are cut, rejected or dropped, a replica cannot connect
 * either.
 *
 * <p>Thread-safe. Its threads are daemons and end with {@link #close()}.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int PORT_ATTEMPTS = 10;

    private final ProxyFaults faults = new ProxyFaults();

    private final ProxyTraffic traffic = new ProxyTraffic();

    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();

    private final int serverPort;

    private final int port;

    private @Nullable Listener listener;

    private boolean closed;

    private FaultProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.port = listenAnywhere();
    }

    /**
     * Starts a proxy in front of a server.
     *
     * @param server the server; it may be restarted while the proxy runs
     * @return the running proxy, which the caller must close
     */
    public static FaultProxy inFrontOf(RedisServerProcess server) {
        return inFrontOf(server.port());
    }

    /**
     * Starts a proxy in front of a port of the loopback interface.
     *
     * @param port the server's port
     * @return the running proxy, which the caller must close
     */
    public static FaultProxy inFrontOf(int port) {
        try {
            return new FaultProxy(port);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private int listenAnywhere() throws IOException {
        for (int attempt = 1; ; attempt++) {
            int candidate = FreePort.find(false);
            try {
                listen(candidate);
                return candidate;
            } catch (IOException ex) {
                if (attempt == PORT_ATTEMPTS) {
                    throw ex;
                }
            }
        }
    }

    private synchronized void listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(Loopback.at(port));
        } catch (IOException ex) {
            socket.close();
            throw ex;
        }
        Thread acceptor = new Thread(() -> accept(socket), "fault-proxy-" + port);
        acceptor.setDaemon(true);
        acceptor.start();
        this.listener = new Listener(socket, acceptor);
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                ProxyConnection connection =
                        new ProxyConnection(client, this.faults, this.traffic, this.connections::remove);
                this.connections.add(connection);
                // Checked after it was added, so that a concurrent cut finds it.
                if (this.faults.isCut() || socket.isClosed()) {
                    connection.reset();
                } else {
                    this.traffic.connected();
                    connection.open(this.serverPort);
                }
            } catch (IOException ex) {
                // The listener was closed, or the client has disconnected.
            }
        }
    }

    /**
     * The host to connect to.
     *
     * @return {@code 127.0.0.1}
     */
    public String host() {
        return Loopback.HOST;
    }

    /**
     * The port to connect to, which does not change.
     *
     * @return the proxy's port
     */
    public int port() {
        return this.port;
    }

    /**
     * Counters and recordings of the requests of clients.
     *
     * @return live counters and recordings
     */
    public ProxyTraffic traffic() {
        return this.traffic;
    }

    /**
     * The current number of connections.
     *
     * @return open connections, without those of replicas
     */
    public int openConnections() {
        return Math.toIntExact(clients().count());
    }

    private Stream<ProxyConnection> clients() {
        return this.connections.stream().filter((connection) -> !connection.isReplica());
    }

    /**
     * Ends all faults. Connections that have lost bytes stay unresponsive, because the client could assign replies to
     * the wrong commands. New connections work.
     *
     * @throws IllegalStateException if the proxy was closed, or its port was taken after {@link #refuse()}
     */
    public synchronized void pass() {
        if (this.closed) {
            throw new IllegalStateException("This proxy was closed");
        }
        this.faults.clear();
        if (this.listener == null) {
            try {
                listen(this.port);
            } catch (IOException ex) {
                throw new IllegalStateException("Port %s cannot be opened again".formatted(this.port), ex);
            }
        }
    }

    /**
     * Delays each request. Requests are delayed concurrently, as by network latency.
     *
     * @param delay the delay; zero for none
     */
    public void delay(Duration delay) {
        delay(delay, Duration.ZERO, Direction.CLIENT_TO_SERVER);
    }

    /**
     * Delays requests, replies or both by a random time. They are delayed concurrently, as by network latency, and keep
     * their order.
     *
     * @param delay minimum delay, zero or more
     * @param jitter maximum random addition to the delay, zero or more
     * @param directions directions to delay, at least one; the other direction is unchanged
     */
    public void delay(Duration delay, Duration jitter, Direction... directions) {
        if (delay.isNegative() || jitter.isNegative()) {
            throw new IllegalArgumentException(
                    "Neither delay nor jitter may be negative: %s, %s".formatted(delay, jitter));
        }
        this.faults.delay(delay, jitter, Set.of(directions));
    }

    /**
     * Resets all existing connections. Clients can reconnect.
     */
    public void disconnect() {
        clients().forEach(ProxyConnection::reset);
    }

    /**
     * Resets all existing connections, and each new connection at once.
     */
    public void cut() {
        this.faults.cut();
        disconnect();
    }

    /**
     * Resets all connections and stops listening. The operating system rejects new connections.
     */
    public synchronized void refuse() {
        if (this.listener != null) {
            this.listener.close();
            this.listener = null;
        }
        disconnect();
    }

    /**
     * Makes existing connections half-open: they stay open, but all bytes are dropped. New connections work.
     *
     * @param directions directions whose bytes are dropped, at least one
     */
    public void halfOpen(Direction... directions) {
        Set<Direction> lost = Set.of(directions);
        clients().forEach((connection) -> connection.swallow(lost));
    }

    /**
     * Accepts connections and bytes, but drops all bytes, on existing and new connections.
     *
     * @param directions directions whose bytes are dropped, at least one
     */
    public void blackHole(Direction... directions) {
        this.faults.swallow(Set.of(directions));
        halfOpen(directions);
    }

    /**
     * Accepts new connections, but drops all their bytes. Existing connections continue to work.
     *
     * @param directions directions whose bytes are dropped, at least one
     */
    public void blackHoleNew(Direction... directions) {
        this.faults.swallow(Set.of(directions));
    }

    /**
     * Forwards the next matching request, drops its reply and closes the connection: the server has executed a request
     * whose outcome is unknown to the client. Earlier replies are delivered. Each call drops one reply.
     *
     * @param requests which requests match; called on the proxy's threads, and not for subscribed connections
     * @return completed with the request once its reply was dropped; cancelled by {@link #pass()} if there was none
     */
    public CompletionStage<RedisRequest> cutNextReply(Predicate<RedisRequest> requests) {
        return this.faults.cutNextReply(requests);
    }

    /**
     * Drops the reply to every matching request, as {@link #cutNextReply(Predicate)} does, but forwards the reply when
     * the client repeats the same bytes. All matching requests are thus executed twice.
     *
     * @param requests which requests match
     */
    public void cutFirstReplies(Predicate<RedisRequest> requests) {
        this.faults.cutFirstReplies(requests);
    }

    /** Resets all connections and stops listening permanently. Closing again has no effect. */
    @Override
    public synchronized void close() {
        this.closed = true;
        refuse();
        this.connections.forEach(ProxyConnection::reset);
    }

    private record Listener(ServerSocket socket, Thread acceptor) {

        void close() {
            try {
                this.socket.close();
                // The operating system listens until the thread has left its call.
                this.acceptor.join();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
