package io.delayqueue.actuate;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.UUID;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application on a web stack, and an HTTP client of its management endpoint. */
public final class EndpointNode implements AutoCloseable {

    public static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private final HttpClient client;
    private final ConfigurableApplicationContext context;
    private final String base;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private EndpointNode(HttpClient client, ConfigurableApplicationContext context, String base) {
        this.client = client;
        this.context = context;
        this.base = base;
    }

    /**
     * Starts an application with a management port.
     *
     * @param path the path of the endpoint on that port
     */
    public static EndpointNode start(WebApplicationType stack, String path, String... properties) {
        List<String> all = new ArrayList<>(List.of("management.server.address=127.0.0.1", "management.server.port=0"));
        all.addAll(List.of(properties));
        return startOnOnePort(stack, path, all.toArray(String[]::new));
    }

    /**
     * Starts an application without a management port, unless the properties set one.
     *
     * @param path the path of the endpoint
     */
    public static EndpointNode startOnOnePort(WebApplicationType stack, String path, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "server.address=127.0.0.1",
                "server.port=0",
                "management.endpoints.web.exposure.include=delayqueue",
                "delayqueue.namespace=" + UUID.randomUUID(),
                "spring.main.banner-mode=off",
                "spring.reactor.netty.shutdown-quiet-period=0s",
                "spring.main.log-startup-info=false"));
        all.addAll(List.of(properties));
        if (stack == WebApplicationType.REACTIVE) {
            // Reactor Netty 1.3.7 may read no more from a connection that is kept (reactor-netty issue 4361)
            all.add("server.netty.max-keep-alive-requests=1");
        }
        ConfigurableApplicationContext context = new SpringApplicationBuilder(EndpointApplication.class)
                .web(stack)
                .properties(all.toArray(String[]::new))
                .run();
        Environment environment = context.getEnvironment();
        String port =
                environment.getProperty("local.management.port", environment.getRequiredProperty("local.server.port"));
        return new EndpointNode(HttpClient.newHttpClient(), context, "http://127.0.0.1:" + port + path);
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    /** The origin of the server. */
    public String site() {
        return base.substring(0, base.indexOf('/', "http://".length()));
    }

    /** Returns a client of the same node that sends a header. */
    public EndpointNode with(String header, String value) {
        EndpointNode other = new EndpointNode(client, context, base);
        other.headers.putAll(headers);
        other.headers.put(header, value);
        return other;
    }

    public EndpointNode as(String user) {
        String credentials = user + ":" + EndpointApplication.PASSWORD;
        return with("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8)));
    }

    /**
     * Requests a view.
     *
     * @param parameters names and values in turn
     */
    public Reply view(String view, String... parameters) {
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        for (int i = 0; i < parameters.length; i += 2) {
            query.add(parameters[i] + "=" + URLEncoder.encode(parameters[i + 1], UTF_8));
        }
        return request("GET", (view.isEmpty() ? "" : "/" + view) + query, BodyPublishers.noBody());
    }

    /**
     * Requests an action.
     *
     * @param parameters names and values in turn
     */
    public Reply act(String action, String... parameters) {
        Map<String, String> body = new LinkedHashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            body.put(parameters[i], parameters[i + 1]);
        }
        return post(action, "application/json", JsonMapper.shared().writeValueAsString(body));
    }

    public Reply post(String action, String contentType, String body) {
        return with("Content-Type", contentType).request("POST", "/" + action, BodyPublishers.ofString(body));
    }

    /**
     * Sends a request.
     *
     * @param rest the path after that of the endpoint, and the query
     */
    public Reply request(String method, String rest, BodyPublisher body) {
        return exchange(method, base + rest, body);
    }

    /** Requests a path outside of the endpoint. */
    public Reply page(String path) {
        return exchange("GET", site() + path, BodyPublishers.noBody());
    }

    /** Sends a request with a body to a path outside of the endpoint. */
    public Reply requestPage(String method, String path, String body) {
        return exchange(method, site() + path, BodyPublishers.ofString(body));
    }

    private Reply exchange(String method, String uri, BodyPublisher body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(uri)).timeout(MAX_WAIT).method(method, body);
        headers.forEach(request::setHeader);
        try {
            return new Reply(client.send(request.build(), BodyHandlers.ofString(UTF_8)));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads the summary with the headers of a browser, which include {@code Host}.
     *
     * @param headers header lines
     * @return the status and the body
     */
    public String viewFrom(String... headers) {
        URI uri = URI.create(base);
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout((int) MAX_WAIT.toMillis());
            String request = "GET " + uri.getPath() + " HTTP/1.1\r\nConnection: close\r\n"
                    + String.join("\r\n", headers) + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            String response = new String(socket.getInputStream().readAllBytes(), UTF_8);
            return response.substring("HTTP/1.1 ".length());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public DelayQueueTemplate template() {
        return context.getBean(DelayQueueTemplate.class);
    }

    public void send(String topic, String id, Object payload, Duration delay) {
        template()
                .send(DelayMessage.to(topic)
                        .id(id)
                        .payload(payload)
                        .delay(delay)
                        .build());
    }

    /** Claims a topic's due messages, each for an hour. */
    public List<LeasedDelivery> claim(String topic) {
        return context.getBean(DelayQueueReceiver.class)
                .receive(ReceiveRequest.from(topic).max(100).waitTime(MAX_WAIT).lease(Duration.ofHours(1)));
    }

    /** Sends a message, dead-letters it and returns the id of the dead letter. */
    public String toDeadLetters(String topic, String id, Object payload) {
        send(topic, id, payload, Duration.ZERO);
        claim(topic).forEach(delivery -> delivery.deadLetter("is of no use").join());
        return view("dead", "topic", topic)
                .json()
                .path("deadLetters")
                .valueStream()
                .filter(deadLetter -> deadLetter.path("id").asString().equals(id))
                .map(deadLetter -> deadLetter.path("deadLetterId").asString())
                .findFirst()
                .orElseThrow();
    }

    /** Makes calls that read or change a topic fail while an action runs. */
    public void whileUnreadable(String topic, Runnable action) {
        byte[] schedule =
                context.getBean(KeySpace.class).of(Shard.single(topic)).schedule();
        try (RedisConnection connection =
                context.getBean(RedisConnectionFactory.class).getConnection()) {
            connection.stringCommands().set(schedule, "of another type".getBytes(UTF_8));
            try {
                action.run();
            } finally {
                connection.keyCommands().del(schedule);
            }
        }
    }

    @Override
    public void close() {
        context.close();
    }

    /** A response. */
    public record Reply(HttpResponse<String> response) {

        public int status() {
            return response.statusCode();
        }

        public String text() {
            return response.body();
        }

        public JsonNode json() {
            return JsonMapper.shared().readTree(text());
        }

        public String outcome() {
            return json().path("outcome").asString("");
        }

        public String detail() {
            return json().path("detail").asString("");
        }

        public List<String> header(String name) {
            return response.headers().allValues(name);
        }
    }
}
