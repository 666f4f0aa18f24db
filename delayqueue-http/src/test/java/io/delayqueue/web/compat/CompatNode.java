package io.delayqueue.web.compat;

import io.delayqueue.redis.QueueConnections;
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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with the interface, and a client of ouqiang/delay-queue. */
final class CompatNode implements AutoCloseable {

    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private static final String[] SHARED = {
        // leases of an unknown topic are left alone for a third of this time
        "delayqueue.listener.lease=3s", "delayqueue.http.compat.max-wait=50s", "delayqueue.http.max-body-size=10KB"
    };

    private static @Nullable CompatNode shared;

    private final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String base;

    private CompatNode(ConfigurableApplicationContext context, String base) {
        this.context = context;
        this.base = base;
    }

    /** The node of all tests that need no properties, on Tomcat with the base path {@code /dq}. */
    static synchronized CompatNode shared() {
        if (shared == null) {
            shared = start("tomcat", "/dq", SHARED);
        }
        return shared;
    }

    /** Starts a node like the shared one, with another server. */
    static CompatNode startLikeShared(String server, boolean http2) {
        List<String> all = new ArrayList<>(List.of(SHARED));
        all.add("server.http2.enabled=" + http2);
        return start(server, "/dq", all.toArray(String[]::new));
    }

    /**
     * Starts one.
     *
     * @param server tomcat or jetty
     * @param base the base path
     */
    static CompatNode start(String server, String base, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "test.server=" + server,
                "server.address=127.0.0.1",
                "server.port=0",
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue.http.compat.enabled=true",
                "delayqueue.metrics.sample-interval=10m",
                "delayqueue.http.compat.base-path=" + base,
                "spring.main.banner-mode=off",
                "spring.main.log-startup-info=false"));
        all.addAll(List.of(properties));
        if (all.stream().noneMatch(property -> property.startsWith("delayqueue.http.clients"))) {
            all.add("delayqueue.http.unsecured=true");
        }
        ConfigurableApplicationContext context = new SpringApplicationBuilder(CompatApplication.class)
                .properties(all.toArray(String[]::new))
                .run();
        return new CompatNode(context, base);
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    DelayQueueTemplate template() {
        return bean(DelayQueueTemplate.class);
    }

    QueueConnections connections() {
        return bean(QueueConnections.class);
    }

    /** Returns the body of a response, whose status must be 200. */
    String ask(String verb, String json) {
        HttpResponse<String> response = exchange("POST", base + "/" + verb, json);
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + ": " + response.body());
        }
        return response.body();
    }

    /** Like {@link #ask}, without waiting. */
    CompletableFuture<String> askAsync(String verb, String json) {
        return client.sendAsync(request("POST", base + "/" + verb, json), BodyHandlers.ofString())
                .thenApply(HttpResponse::body);
    }

    HttpResponse<String> exchange(String method, String path, String body, String... headers) {
        try {
            return client.send(request(method, path, body, headers), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
                .timeout(MAX_WAIT)
                .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    void push(String topic, String id, long delay, long ttr, String body) {
        String response = ask(
                "push",
                "{\"topic\":\"%s\",\"id\":\"%s\",\"delay\":%d,\"ttr\":%d,\"body\":\"%s\"}"
                        .formatted(topic, id, delay, ttr, body));
        if (!response.equals("{\"code\":0,\"message\":\"添加成功\",\"data\":null}")) {
            throw new AssertionError(response);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
