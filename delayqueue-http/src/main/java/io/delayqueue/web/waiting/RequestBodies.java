package io.delayqueue.web.waiting;

import io.delayqueue.management.guard.Client;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.IncomingBody.State;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of requests on their threads. A client that sends slowly occupies a thread for at most the timeout,
 * and few threads at the same time. Thread-safe.
 */
public final class RequestBodies {

    /** A body that is incomplete after this time is slow. Usual bodies arrive within milliseconds. */
    static final Duration SLOW_AFTER = IncomingBody.USUAL_TIME;

    private static final int BUFFER_SIZE = 8192;
    private static final long FIRST_PAUSE = 50_000;
    private static final long LONGEST_PAUSE = 5_000_000;

    private final int maxBytes;
    private final long timeoutNanos;
    private final int maxSlow;
    private final Containers containers;
    private final LongSupplier nanoTime;
    private final LongConsumer pause;
    /** The number of slow bodies by the identity of their client. */
    private final Map<String, Integer> slow = new ConcurrentHashMap<>();

    /** Returns the body of a request as its container knows it. */
    @FunctionalInterface
    interface Containers {

        IncomingBody bodyOf(HttpServletRequest request) throws IOException;
    }

    /**
     * Creates a reader.
     *
     * @param maxBytes maximum size of a body
     * @param timeout maximum time in which a body must arrive
     * @param maxSlow maximum number of slow bodies of a client at the same time
     */
    public RequestBodies(int maxBytes, Duration timeout, int maxSlow) {
        this(maxBytes, timeout, maxSlow, IncomingBody::of, System::nanoTime, LockSupport::parkNanos);
    }

    /** Creates a reader with another container, clock and pause between checks. */
    RequestBodies(
            int maxBytes,
            Duration timeout,
            int maxSlow,
            Containers containers,
            LongSupplier nanoTime,
            LongConsumer pause) {
        this.maxBytes = maxBytes;
        this.timeoutNanos = timeout.toNanos();
        this.maxSlow = maxSlow;
        this.containers = containers;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /** Returns the maximum size of a body in bytes. */
    public int maxBytes() {
        return maxBytes;
    }

    /**
     * Reads the body of an authorized request. Does not wait for the rest of a body that is too large.
     *
     * @return the body, or null if it is larger than {@link #maxBytes}
     * @throws SlowBodyException if the body does not arrive in time, or the maximum number of bodies of the client arrives
     *     slowly
     */
    public byte @Nullable [] read(HttpServletRequest request) throws IOException {
        if (request.getContentLengthLong() > maxBytes) {
            return null;
        }
        int length = request.getContentLength();
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.max(0, length));
        byte[] part = new byte[length > 0 ? Math.min(length, BUFFER_SIZE) : BUFFER_SIZE];
        try (Arrival arrival = new Arrival(request)) {
            ServletInputStream in = arrival.in;
            while (true) {
                arrival.await();
                int read = in.read(part);
                if (read < 0) {
                    return body.toByteArray();
                }
                body.write(part, 0, read);
                if (body.size() > maxBytes) {
                    return null;
                }
            }
        }
    }

    /** A body that arrives. */
    private final class Arrival implements AutoCloseable {

        private final ServletInputStream in;
        private final IncomingBody body;
        private final Client client;
        private final long begin = nanoTime.getAsLong();
        private boolean counted;

        Arrival(HttpServletRequest request) throws IOException {
            this.in = request.getInputStream();
            this.body = containers.bodyOf(request);
            Client known = RequestFacts.client(request);
            this.client = known == null ? Client.ofUser(null) : known;
        }

        /** Waits until a read does not block, as far as the container knows that. */
        void await() throws IOException {
            for (long next = FIRST_PAUSE; ; next = Math.min(2 * next, LONGEST_PAUSE)) {
                State now = body.state();
                long elapsed = nanoTime.getAsLong() - begin;
                if (elapsed >= timeoutNanos) {
                    throw SlowBodyException.ofTimeout(Duration.ofNanos(timeoutNanos));
                }
                if (now == State.UNKNOWN || elapsed >= SLOW_AFTER.toNanos()) {
                    count();
                }
                if (now != State.AWAITED) {
                    return;
                }
                pause.accept(Math.min(next, timeoutNanos - elapsed));
            }
        }

        private void count() {
            if (counted) {
                return;
            }
            int number = slow.merge(client.identity(), 1, Integer::sum);
            counted = true;
            if (number > maxSlow) {
                throw SlowBodyException.ofClient(client, maxSlow);
            }
        }

        @Override
        public void close() {
            if (counted) {
                slow.computeIfPresent(client.identity(), (id, number) -> number == 1 ? null : number - 1);
            }
        }
    }
}
