package io.delayqueue.web.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.web.guard.Permission;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.servlet.ServletWebServerFactory;

/** Clients that wait and disconnect, on a real servlet container. */
abstract class LongPollContract {

    /** A request that the test holds in the servlet. */
    private static final String HELD = "/held";

    /** Requests of a client that may have one waiting request. */
    private static final String SHOP = "/shop";

    private final ByHand scheduler = new ByHand();
    private final LongPolls polls = new LongPolls(3, scheduler);
    private final io.delayqueue.web.guard.Client shop = new io.delayqueue.web.guard.Client(
            "shop", List.of(), Set.of(Permission.CONSUME), List.of("*"), null, 1, System::nanoTime);
    private final io.delayqueue.web.guard.Client other = io.delayqueue.web.guard.Client.ofUser(null);
    private final List<Waiting> waiting = new CopyOnWriteArrayList<>();
    private final AtomicInteger disconnects = new AtomicInteger();
    private final CountDownLatch held = new CountDownLatch(1);
    private WebServer server;

    abstract ServletWebServerFactory factory();

    @BeforeEach
    void start() {
        server = factory().getWebServer(context -> {
            var registration = context.addServlet("waits", new WaitingServlet());
            registration.setAsyncSupported(true);
            registration.addMapping("/*");
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void connectedClientReceivesTheResponse() throws IOException {
        try (Client client = new Client()) {
            client.post("/one", "{}");
            awaitWaiting(1);
            assertThat(polls.run()).isPositive();

            assertThat(waiting.get(0).respond()).isTrue();

            assertThat(client.response()).isEqualTo("/one");
            assertThat(waiting.get(0).respond()).isFalse();
            assertThat(polls.waiting()).isZero();
            assertThat(scheduler.scheduled()).isFalse();
        }
    }

    @Test
    void disconnectedClientReceivesNoResponse() throws IOException {
        Client client = new Client();
        client.post("/one", "{}");
        awaitWaiting(1);
        client.close();

        // the server may not have received the end yet
        await().until(() -> {
            polls.run();
            return polls.waiting() == 0;
        });
        assertThat(disconnects).hasValue(1);
        assertThat(waiting.get(0).respond()).isFalse();
        assertThat(disconnects).hasValue(1);
        assertThat(scheduler.scheduled()).isFalse();
    }

    @Test
    void disconnectionBeforeTheWaitIsReportedOnRegistration() throws IOException {
        Client client = new Client();
        client.post(HELD, "{}");
        await().until(() -> polls.waiting() == 1);
        client.close();
        await().until(() -> {
            polls.run();
            return polls.waiting() == 0;
        });
        assertThat(disconnects).hasValue(0);

        held.countDown();

        awaitWaiting(1);
        assertThat(disconnects).hasValue(1);
        assertThat(waiting.get(0).respond()).isFalse();
    }

    @Test
    void disconnectionIsDetectedBeforeAResponse() throws Exception {
        Client client = new Client();
        client.post("/one", "{}");
        awaitWaiting(1);
        client.close();
        await().until(() -> hasClosed(waiting.get(0)));

        assertThat(waiting.get(0).respond()).isFalse();
        assertThat(polls.waiting()).isZero();
    }

    @Test
    void pipelinedRequestsReceiveResponses() throws IOException {
        String long1 = "{\"x\":\"" + "y".repeat(3000) + "\"}";
        try (Client client = new Client()) {
            client.post("/one", "{}");
            awaitWaiting(1);
            client.post("/two", long1);
            client.post("/three", "{}");
            for (int i = 0; i < 5; i++) {
                polls.run();
            }

            assertThat(waiting.get(0).respond()).isTrue();
            assertThat(client.response()).isEqualTo("/one");
            awaitWaiting(2);
            polls.run();
            assertThat(waiting.get(1).body()).isEqualTo(long1);
            assertThat(waiting.get(1).respond()).isTrue();
            assertThat(client.response()).isEqualTo("/two");
            awaitWaiting(3);
            assertThat(waiting.get(2).respond()).isTrue();
            assertThat(client.response()).isEqualTo("/three");
        }
    }

    /** More bytes than the container's buffer. */
    @Test
    void longPipelinedRequestIsReadCompletely() throws IOException {
        String body = "{\"x\":\"" + "y".repeat(30_000) + "\"}";
        try (Client client = new Client()) {
            client.post("/one", "{}");
            awaitWaiting(1);
            client.post("/two", body);
            for (int i = 0; i < 40; i++) {
                polls.run();
            }

            assertThat(waiting.get(0).respond()).isTrue();
            assertThat(client.response()).isEqualTo("/one");
            awaitWaiting(2);
            assertThat(waiting.get(1).body()).isEqualTo(body);
        }
    }

    @Test
    void requestsOfOnePacketAreReadCompletely() throws IOException {
        String body = "{\"x\":\"" + "y".repeat(12_000) + "\"}";
        try (Client client = new Client()) {
            client.write(Client.request("/one", "{}") + Client.request("/two", body));
            awaitWaiting(1);
            polls.run();
            polls.run();

            assertThat(waiting.get(0).respond()).isTrue();
            assertThat(client.response()).isEqualTo("/one");
            awaitWaiting(2);
            assertThat(waiting.get(1).body()).isEqualTo(body);
        }
    }

    /** A container reports the end of a request under a lock that the response needs. */
    @Test
    void responseDoesNotBlockTheEndOfTheRequest() throws IOException {
        try (Client client = new Client()) {
            client.post("/one", "{}");
            awaitWaiting(1);
            LongPoll poll = waiting.get(0).poll();
            CompletableFuture<?> closed = new CompletableFuture<>();

            assertThat(poll.respond(() -> {
                        CompletableFuture<?> unused =
                                CompletableFuture.runAsync(poll::close).thenRun(() -> closed.complete(null));
                        await().until(closed::isDone);
                    }))
                    .isTrue();
        }
    }

    @Test
    void numberOfWaitingClientsIsLimited() throws IOException {
        try (Client first = new Client();
                Client second = new Client();
                Client third = new Client();
                Client fourth = new Client()) {
            first.post("/1", "{}");
            second.post("/2", "{}");
            third.post("/3", "{}");
            awaitWaiting(3);
            fourth.post("/4", "{}");

            assertThat(fourth.response()).contains("(delayqueue.http.max-waiting, 3) already waits on this node");
            waiting.get(0).respond();
            fourth.post("/4", "{}");
            awaitWaiting(4);
        }
    }

    @Test
    void numberOfWaitingRequestsOfAClientIsLimited() throws IOException {
        try (Client first = new Client();
                Client second = new Client();
                Client third = new Client()) {
            first.post(SHOP + "/1", "{}");
            awaitWaiting(1);
            second.post(SHOP + "/2", "{}");

            assertThat(second.response())
                    .contains("client 'shop' (delayqueue.http.clients.shop.max-waiting, 1) already waits on this node");
            third.post("/3", "{}");
            awaitWaiting(2);
            waiting.get(0).respond();
            second.post(SHOP + "/2", "{}");
            awaitWaiting(3);
        }
    }

    @Test
    void closedPollNeitherRespondsNorIsChecked() throws IOException {
        try (Client client = new Client()) {
            client.post("/one", "{}");
            awaitWaiting(1);

            waiting.get(0).poll().close();

            assertThat(waiting.get(0).poll().respond(() -> assertThat(true).isFalse()))
                    .isFalse();
            assertThat(polls.waiting()).isZero();
            assertThatThrownBy(() -> scheduler.run()).isInstanceOf(IllegalStateException.class);
        }
    }

    private void awaitWaiting(int count) {
        await().until(() -> waiting.size() == count);
    }

    private static boolean hasClosed(Waiting waiting) {
        return waiting.peer().isDisconnected();
    }

    private record Waiting(AsyncContext context, LongPoll poll, Peer peer, String path, String body) {

        boolean respond() {
            return poll.respond(() -> {
                try {
                    context.getResponse().getOutputStream().print(path + "\n");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                context.complete();
            });
        }
    }

    private final class WaitingServlet extends HttpServlet {

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            LongPoll poll;
            try {
                poll = polls.open(request, request.getRequestURI().startsWith(SHOP) ? shop : other);
            } catch (TooManyWaitingException e) {
                response.getOutputStream().print(e.getMessage() + "\n");
                return;
            }
            AsyncContext context = request.startAsync();
            context.setTimeout(0);
            if (request.getRequestURI().equals(HELD)) {
                await().until(() -> held.getCount() == 0);
            }
            poll.onDisconnect(() -> {
                disconnects.incrementAndGet();
                context.complete();
            });
            waiting.add(new Waiting(context, poll, Peer.of(request), request.getServletPath() + path(request), body));
        }

        private static String path(HttpServletRequest request) {
            return request.getPathInfo() == null ? "" : request.getPathInfo();
        }
    }

    /** A client that can send and close at any time. */
    private final class Client implements AutoCloseable {

        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
        private final BufferedReader reader =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));

        Client() throws IOException {}

        void post(String path, String body) throws IOException {
            write(request(path, body));
        }

        static String request(String path, String body) {
            return "POST " + path + " HTTP/1.1\r\nHost: here\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        }

        void write(String requests) throws IOException {
            socket.getOutputStream().write(requests.getBytes(StandardCharsets.UTF_8));
        }

        /** The line of the next response's body. */
        String response() throws IOException {
            String line = reader.readLine();
            assertThat(line).startsWith("HTTP/1.1 200");
            boolean chunked = false;
            while (!line.isEmpty()) {
                chunked |= line.equalsIgnoreCase("Transfer-Encoding: chunked");
                line = reader.readLine();
            }
            if (chunked) {
                reader.readLine();
            }
            String body = reader.readLine();
            for (int rest = chunked ? 3 : 0; rest > 0; rest--) { // the chunk's end, the last chunk, the body's end
                reader.readLine();
            }
            return body;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** The test runs the task. */
    private static final class ByHand implements PeriodicTaskScheduler {

        private volatile @Nullable PeriodicTask task;

        @Override
        public TaskHandle schedule(String name, PeriodicTask scheduled) {
            task = scheduled;
            return new TaskHandle() {

                @Override
                public void wake() {}

                @Override
                public void wakeWithin(Duration time) {}

                @Override
                public void cancel() {
                    task = null;
                }
            };
        }

        boolean scheduled() {
            return task != null;
        }

        void run() throws Exception {
            PeriodicTask present = task;
            if (present == null) {
                throw new IllegalStateException("Nothing is scheduled");
            }
            present.run();
        }
    }
}
