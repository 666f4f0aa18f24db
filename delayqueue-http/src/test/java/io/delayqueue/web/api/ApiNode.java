package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.template.DelayQueueTemplate;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An application with the HTTP API, and a client of it. Thread-safe. */
final class ApiNode implements AutoCloseable {

    static final Duration MAX_WAIT = Duration.ofSeconds(30);
    static final int MAX_WAITING = 20;
    /** Threads of the shared node for requests. */
    static final int THREADS = 4;
    /** Of a client on the shared node. */
    static final int MAX_SLOW_BODIES = 2;

    static final String TOKEN = "the-token-of-the-tests";
    static final String PRODUCER = "the-token-of-a-producer";
    static final String NEXT_PRODUCER = "the-next-token-of-a-producer";
    /** Of an administrator of the topics {@code order-*} and {@code refunds}. */
    static final String ORDERS = "the-token-of-the-orders";

    static final String CONSUMER = "the-token-of-a-consumer";
    /** Of an administrator that only one test uses. */
    static final String MEASURED = "the-token-of-a-measured-client";
    /** Of a client that may send one request per second. */
    static final String SLOW = "the-token-of-a-slow-client";
    /** Of a consumer with one waiting request. */
    static final String PATIENT = "the-token-of-one-that-waits";

    /** Base path of the interface of ouqiang/delay-queue on the shared node. */
    static final String JOBS = "/jobs";

    static final String BASE = "/delayqueue/v1";

    /** Property of a node on Jetty. Both containers are on the class path. */
    static final String JETTY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration,"
            + "org.springframework.boot.tomcat.autoconfigure.actuate.web.server."
            + "TomcatServletManagementContextAutoConfiguration";

    /** Property of a node on Tomcat. */
    private static final String TOMCAT = JETTY.replace("tomcat", "jetty").replace("Tomcat", "Jetty");

    /** A topic whose messages have keys. */
    static final String ORDERED = "accounts";

    private static final String[] SHARED = {
        "spring.jackson.property-naming-strategy=SNAKE_CASE",
        "delayqueue.http.clients.producer.tokens=" + PRODUCER + "," + NEXT_PRODUCER,
        "delayqueue.http.clients.producer.permissions=produce",
        "delayqueue.http.clients.consumer.tokens=" + CONSUMER,
        "delayqueue.http.clients.consumer.permissions=consume",
        "delayqueue.http.clients.orders.tokens=" + ORDERS,
        "delayqueue.http.clients.orders.permissions=admin",
        "delayqueue.http.clients.orders.topics=order-*,refunds",
        "delayqueue.http.clients.measured.tokens=" + MEASURED,
        "delayqueue.http.clients.measured.permissions=admin",
        "delayqueue.http.clients.slow.tokens=" + SLOW,
        "delayqueue.http.clients.slow.permissions=produce,consume",
        "delayqueue.http.clients.slow.requests-per-second=1",
        "delayqueue.http.clients.patient.tokens=" + PATIENT,
        "delayqueue.http.clients.patient.permissions=consume",
        "delayqueue.http.clients.patient.max-waiting=1",
        "delayqueue.http.max-waiting=" + MAX_WAITING,
        "delayqueue.topics[" + ORDERED + "].keys=ordered",
        "delayqueue.http.compat.enabled=true",
        "delayqueue.http.compat.base-path=" + JOBS,
        "delayqueue.http.compat.max-wait=50ms",
        "server.tomcat.threads.max=" + THREADS
    };

    private static @Nullable ApiNode shared;

    private final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String site;
    private final String base;

    private ApiNode(ConfigurableApplicationContext context) {
        this.context = context;
        this.site = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
        this.base = site + context.getEnvironment().getProperty("server.servlet.context-path", "") + BASE;
    }

    /** The node of all tests that need no properties, on Tomcat. */
    static synchronized ApiNode shared() {
        if (shared == null) {
            shared = startLikeShared("delayqueue.http.max-slow-bodies=" + MAX_SLOW_BODIES);
        }
        return shared;
    }

    /** Starts a node like the shared one, with other properties. */
    static ApiNode startLikeShared(String... properties) {
        List<String> all = new ArrayList<>(List.of(SHARED));
        all.addAll(List.of(properties));
        return start(all.toArray(String[]::new));
    }

    static ApiNode start(String... properties) {
        return start(ApiApplication.class, properties);
    }

    static ApiNode start(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "server.address=127.0.0.1",
                "server.port=0",
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue.http.api.enabled=true",
                "delayqueue.metrics.sample-interval=10m",
                "delayqueue.http.clients.tests.tokens=" + TOKEN,
                "delayqueue.http.clients.tests.permissions=admin",
                TOMCAT,
                "spring.main.banner-mode=off",
                "spring.main.log-startup-info=false"));
        all.addAll(List.of(properties));
        return new ApiNode(new SpringApplicationBuilder(application)
                .web(WebApplicationType.SERVLET)
                .run(arguments(all)));
    }

    /** The last value of a property counts. */
    private static String[] arguments(List<String> properties) {
        Map<String, String> byName = new LinkedHashMap<>();
        properties.forEach(property -> byName.put(property.substring(0, property.indexOf('=')), "--" + property));
        return byName.values().toArray(String[]::new);
    }

    /** A response. */
    record Reply(int status, HttpResponse<byte[]> response) {

        String text() {
            return new String(response.body(), UTF_8);
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(response.body());
        }

        String problem() {
            String type = json().path("type").asString();
            return type.substring("urn:delayqueue:problem:".length());
        }

        String detail() {
            return json().path("detail").asString();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    /** Returns the class name of the servlet container. */
    String server() {
        return ((WebServerApplicationContext) context).getWebServer().getClass().getSimpleName();
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    DelayQueueTemplate template() {
        return bean(DelayQueueTemplate.class);
    }

    String site() {
        return site;
    }

    int port() {
        return URI.create(site).getPort();
    }

    Reply get(String path) {
        return exchange(request(path).GET());
    }

    Reply delete(String path) {
        return exchange(request(path).DELETE());
    }

    Reply post(String path, String json, String... headers) {
        HttpRequest.Builder request =
                request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
        return exchange(headers.length == 0 ? request : request.headers(headers));
    }

    Reply put(String path, String json) {
        return exchangeAs(TOKEN, "PUT", path, json);
    }

    Reply send(String topic, String json, String... headers) {
        return post("/topics/" + topic + "/messages", json, headers);
    }

    /** Receives from one topic, with the other fields of the body. */
    Reply receive(String topic, String json) {
        return post("/receive", receiving(topic, json));
    }

    /** The body of a request to receive. */
    static String receiving(String topic, String json) {
        ObjectNode body = (ObjectNode) JsonMapper.shared().readTree(json);
        body.putArray("topics").add(topic);
        return body.toString();
    }

    /** Receives one message under a lease of an hour. */
    JsonNode receiveOne(String topic) {
        Reply reply = receive(topic, "{\"wait\": \"50s\", \"lease\": \"1h\"}");
        JsonNode messages = reply.json().path("messages");
        if (messages.size() != 1) {
            throw new AssertionError("Received " + reply.text());
        }
        return messages.get(0);
    }

    /** Settles a delivery. */
    Reply settle(JsonNode delivery, String action, String json) {
        return post("/leases/" + receipt(delivery) + "/" + action, json);
    }

    /** Settles deliveries by one request. */
    Reply settleAll(Iterable<JsonNode> deliveries, String action) {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        ArrayNode settlements = body.putArray("settlements");
        deliveries.forEach(
                each -> settlements.addObject().put("receipt", receipt(each)).put("action", action));
        return post("/settle", body.toString());
    }

    static String receipt(JsonNode delivery) {
        return delivery.path("receipt").asString();
    }

    /** Sends a request of another client. */
    Reply exchangeAs(String token, String method, String path, String body) {
        return exchange(request(path)
                .setHeader("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body)));
    }

    /** Sends a request to the interface of ouqiang/delay-queue on the shared node. */
    Reply job(String token, String verb, String json) {
        return exchange(HttpRequest.newBuilder(URI.create(site + JOBS + "/" + verb))
                .header("Authorization", "Bearer " + token)
                .POST(BodyPublishers.ofString(json)));
    }

    /** A request below the base path, with all permissions. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(MAX_WAIT.multipliedBy(2))
                .header("Authorization", "Bearer " + TOKEN);
    }

    /** The same as {@link #post}, without waiting. */
    CompletableFuture<Reply> postAsync(String path, String json, String... headers) {
        HttpRequest.Builder request =
                request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
        return exchangeAsync(headers.length == 0 ? request : request.headers(headers));
    }

    CompletableFuture<Reply> exchangeAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray()).thenApply(response -> {
            check(response);
            return new Reply(response.statusCode(), response);
        });
    }

    Reply exchange(HttpRequest.Builder request) {
        try {
            HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
            check(response);
            return new Reply(response.statusCode(), response);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Checks responses of the API. The server's own responses are HTML. */
    private static void check(HttpResponse<byte[]> response) {
        if (!response.headers().firstValue("Content-Type").orElse("").startsWith("text/html")) {
            DocumentedResponses.check(response);
        }
    }

    HttpClient client() {
        return client;
    }

    @Override
    public void close() {
        context.close();
    }
}
