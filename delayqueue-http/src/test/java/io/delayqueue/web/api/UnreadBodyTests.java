package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that is rejected before its body is read does not hold a thread by sending the body slowly or never. */
class UnreadBodyTests {

    private static final int CLIENTS = ApiNode.THREADS + 2;
    private static final String WAITING_PATH = ApiNode.BASE + "/receive";
    private static final String PUSH_PATH = ApiNode.JOBS + "/push";

    private final ApiNode node = ApiNode.shared();

    private static String head(String path, String token, long length) {
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n";
    }

    private static String chunkedHead(String path, String token) {
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    /** Each client gets a response, and the server closes the connection, while all clients continue to send. */
    private static void receiveResponses(List<RawClient> clients, String expected) throws Exception {
        ExecutorService readers = Executors.newCachedThreadPool();
        try {
            List<Future<String>> responses = clients.stream()
                    .map(client -> readers.submit(() -> client.readUntil("nothing but the end")))
                    .toList();
            await().until(() -> {
                clients.forEach(client -> client.write(" "));
                return responses.stream().allMatch(Future::isDone);
            });
            for (Future<String> response : responses) {
                assertThat(response.get()).contains(expected).doesNotContain("TimeoutException");
            }
        } finally {
            clients.forEach(RawClient::close);
            readers.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {WAITING_PATH, PUSH_PATH})
    void unauthorizedSlowBodiesHoldNoThreads(String path) throws Exception {
        List<RawClient> clients =
                Stream.generate(() -> new RawClient(node.port())).limit(CLIENTS).toList();
        clients.forEach(client -> client.write(head(path, "none", 1_000_000)));

        receiveResponses(clients, "HTTP/1.1 401");
        assertThat(node.get("/topics/t/messages/1").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {WAITING_PATH, PUSH_PATH})
    void largeBodyIsRejectedByItsContentLength(String path) throws Exception {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new RawClient(node.port()));
            clients.get(i).write(head(path, ApiNode.TOKEN, 2_000_000_000));
        }

        receiveResponses(clients, "delayqueue.http.max-body-size");
    }

    @ParameterizedTest
    @ValueSource(strings = {WAITING_PATH, PUSH_PATH})
    void largeChunkedBodyIsRejectedBeforeItsEnd(String path) {
        try (RawClient client = new RawClient(node.port())) {
            client.write(chunkedHead(path, ApiNode.TOKEN) + "200001\r\n" + " ".repeat(0x200001) + "\r\n");
            assertThat(client.readUntil("}")).contains("(delayqueue.http.max-body-size) of 2097152 bytes");
        }
    }

    /** Tomcat would wait for the rest of the chunk's size. */
    @Test
    void unauthorizedIncompleteChunksHoldNoThreads() {
        List<RawClient> clients =
                Stream.generate(() -> new RawClient(node.port())).limit(CLIENTS).toList();
        clients.forEach(client -> client.write(chunkedHead(WAITING_PATH, "none") + "5\r\nabcde\r\n1"));

        for (RawClient client : clients) {
            assertThat(client.readUntil("nothing but the end")).contains("HTTP/1.1 401");
            client.close();
        }
    }

    /** The bytes of the body are read, so that the client receives the response before the connection ends. */
    @Test
    void rejectedRequestWithAChunkedBodyEndsTheConnection() {
        try (RawClient client = new RawClient(node.port())) {
            client.write(chunkedHead(WAITING_PATH, "none") + "5\r\nabcde\r\n0\r\n\r\n");

            assertThat(client.readUntil("nothing but the end"))
                    .startsWith("HTTP/1.1 401")
                    .doesNotContain("SocketException");
        }
    }

    @Test
    void rejectedRequestWithACompleteBodyKeepsTheConnection() {
        try (RawClient client = new RawClient(node.port())) {
            for (int i = 0; i < 3; i++) {
                client.write(head(WAITING_PATH, "none", 1000) + " ".repeat(1000));
                assertThat(client.readUntil("HTTP Basic.\"")).startsWith("HTTP/1.1 401");
                client.readUntil("}");
            }
        }
    }

    /** Filters and Spring MVC would read a form, or several parts, before the token is checked. */
    @ParameterizedTest
    @CsvSource({
        "DELETE, application/x-www-form-urlencoded",
        "POST, multipart/form-data; boundary=x",
    })
    void unauthorizedFormsHoldNoThreads(String method, String contentType) throws Exception {
        List<RawClient> clients =
                Stream.generate(() -> new RawClient(node.port())).limit(CLIENTS).toList();
        String path = ApiNode.BASE + (method.equals("POST") ? "/receive" : "/topics/t/messages/1");
        clients.forEach(client -> client.write(
                head(path, "none", 1_000_000).replace("POST", method).replace("application/json", contentType)));

        receiveResponses(clients, "HTTP/1.1 401");
    }

    @Test
    void slowBodiesOfAClientAreLimited() throws Exception {
        exchangeSlowly(node);
    }

    @Test
    @Tag("long")
    @Tag("http")
    void slowBodiesOfAClientAreLimitedOnJetty() throws Exception {
        try (ApiNode jetty =
                ApiNode.start(ApiNode.JETTY, "delayqueue.http.max-slow-bodies=" + ApiNode.MAX_SLOW_BODIES)) {
            exchangeSlowly(jetty);
        }
    }

    /** One of the clients is rejected while the other bodies are incomplete. The others succeed. */
    private static void exchangeSlowly(ApiNode node) throws Exception {
        String body = "{\"payload\": 1}";
        List<RawClient> clients = Stream.generate(() -> new RawClient(node.port()))
                .limit(ApiNode.MAX_SLOW_BODIES + 1)
                .toList();
        ExecutorService readers = Executors.newCachedThreadPool();
        try {
            List<Future<String>> responses = clients.stream()
                    .map(client -> readers.submit(() -> client.readUntil("\r\n")))
                    .toList();
            String head = head(ApiNode.BASE + "/topics/slow/messages", ApiNode.TOKEN, body.length());
            clients.forEach(client -> client.write(head + body.substring(0, 5)));
            await().until(() -> responses.stream().anyMatch(Future::isDone));
            int rejected = responses.indexOf(
                    responses.stream().filter(Future::isDone).findFirst().orElseThrow());
            assertThat(responses.get(rejected).get()).startsWith("HTTP/1.1 408");

            for (int i = 0; i < clients.size(); i++) {
                if (i != rejected) {
                    clients.get(i).write(body.substring(5));
                    assertThat(responses.get(i).get()).startsWith("HTTP/1.1 201");
                }
            }
        } finally {
            clients.forEach(RawClient::close);
            readers.shutdownNow();
        }
    }
}
