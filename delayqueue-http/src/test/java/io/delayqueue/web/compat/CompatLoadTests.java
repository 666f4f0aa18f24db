package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.web.waiting.OpenRequests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients push, pop, finish and disconnect at random. Every job is delivered and finished, none before its due time.
 */
@Timeout(600)
@Tag("long")
@Tag("http")
class CompatLoadTests {

    private static final int POPPERS = 6;
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    private final Map<String, Long> due = new ConcurrentHashMap<>();
    private final Set<String> finished = ConcurrentHashMap.newKeySet();
    private final AtomicInteger deliveries = new AtomicInteger();
    private final AtomicInteger disconnects = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private int jobs;

    @Test
    void manyJobsAreFinishedAndNoneIsEarly() throws InterruptedException {
        run(6_000);
    }

    private void run(int count) throws InterruptedException {
        jobs = count;
        try (CompatNode node =
                CompatNode.start("tomcat", "", "delayqueue.listener.lease=3s", "delayqueue.http.compat.max-wait=2s")) {
            Instant begin = Instant.now();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int half = i;
                threads.add(begin("pusher" + i, () -> push(node, half)));
            }
            for (int i = 0; i < POPPERS; i++) {
                Random random = new Random(i);
                threads.add(begin("popper" + i, () -> pop(node.port(), random)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(finished).hasSize(count);
            System.out.println(jobs + " jobs, " + deliveries + " deliveries, " + disconnects + " disconnects in "
                    + Duration.between(begin, Instant.now()).toMillis() + " ms");
            for (String topic : List.of("l0", "l1")) {
                assertThat(node.bean(DelayQueueAdmin.class).counts(topic).toString())
                        .contains("scheduled=0")
                        .contains("ready=0")
                        .contains("leased=0")
                        .contains("dead=0");
            }
            OpenRequests.assertNone(node.context());
        }
    }

    private Thread begin(String name, Body body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                },
                name);
        thread.start();
        return thread;
    }

    private interface Body {
        void run() throws Exception;
    }

    /** Every second job is first pushed to the other topic. */
    private void push(CompatNode node, int half) {
        for (int i = half; i < jobs && failure.get() == null; i += 2) {
            String id = "j" + i;
            if (i % 4 == 0) {
                node.push("l" + (1 - half), id, 3600, 2, "old");
            }
            due.put(id, System.nanoTime() + Duration.ofSeconds(1).toNanos());
            node.push("l" + half, id, 1, 2, "new");
        }
    }

    private void pop(int port, Random random) throws IOException {
        while (finished.size() < jobs && failure.get() == null) {
            try (Client client = new Client(port)) {
                boolean patient = random.nextInt(4) > 0;
                client.send("/pop", "{\"topic\":\"l0,l1\"}");
                String response = client.response(patient ? 20_000 : 1 + random.nextInt(30));
                if (response == null) {
                    disconnects.incrementAndGet();
                    continue;
                }
                Matcher id = ID.matcher(response);
                if (id.find()) {
                    handle(id.group(1), response, client);
                }
            }
        }
    }

    private void handle(String id, String response, Client client) throws IOException {
        deliveries.incrementAndGet();
        long early = due.get(id) - System.nanoTime();
        if (early > 0 || !response.contains("\"body\":\"new\"")) {
            throw new AssertionError(response + " came " + early + " ns early");
        }
        client.send("/finish", "{\"id\":\"" + id + "\"}");
        String told = client.response(20_000);
        if (!CompatContract.NOTHING.equals(told)) {
            throw new AssertionError("finish: " + told);
        }
        finished.add(id);
    }

    /** A client that can disconnect at any time. */
    private static final class Client implements AutoCloseable {

        private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

        private final Socket socket;

        Client(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
        }

        void send(String path, String body) throws IOException {
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: here\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                    + body)
                            .getBytes(UTF_8));
        }

        /** The body of the next response; null if there is none in time. */
        @Nullable
        String response(int millis) throws IOException {
            socket.setSoTimeout(millis);
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            try {
                while (!head.toString(UTF_8).endsWith("\r\n\r\n")) {
                    int next = in.read();
                    if (next < 0) {
                        return null;
                    }
                    head.write(next);
                }
            } catch (SocketTimeoutException e) {
                return null;
            }
            socket.setSoTimeout(20_000);
            Matcher length = LENGTH.matcher(head.toString(UTF_8));
            if (!length.find()) {
                throw new IOException("No length: " + head);
            }
            return new String(in.readNBytes(Integer.parseInt(length.group(1))), UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
