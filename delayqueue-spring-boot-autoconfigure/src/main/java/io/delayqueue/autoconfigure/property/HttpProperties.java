package io.delayqueue.autoconfigure.property;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Names;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * HTTP interfaces for clients in other languages.
 *
 * @param compat The HTTP interface of ouqiang/delay-queue, for existing clients of it.
 * @param api The queue's own HTTP API.
 * @param clients Clients, by their name: name (if the key is only a label), tokens (each with at least 16 characters), permissions (produce, consume, admin),
 *     topics (names and patterns such as order-*, all by default), requests-per-second and max-waiting (limits on this
 *     node, none by default). Without clients, the application's Spring Security decides.
 * @param unsecured Whether the HTTP interfaces accept requests without authentication. Cannot be combined with clients.
 * @param maxBodySize Maximum size of a request body, 1 KB to 1 GB.
 * @param bodyTimeout Maximum time in which the body of a request must arrive, 1 s to 10 min.
 * @param maxSlowBodies Maximum number of request bodies of one client that may arrive slowly on this node at the same time, 1
 *     to 1,000,000. Each occupies a thread of the server.
 * @param maxWaiting Maximum number of clients that may wait for messages on this node at the same time, 1 to 1,000,000.
 * @param maxTopics HTTP clients can create a topic by sending while the namespace has fewer topics than this, 1 to
 *     1,000,000.
 */
public record HttpProperties(
        @DefaultValue Compat compat,
        @DefaultValue Api api,
        @DefaultValue Map<String, Client> clients,
        @DefaultValue("false") boolean unsecured,
        @DefaultValue("2MB") DataSize maxBodySize,
        @DefaultValue("20s") Duration bodyTimeout,
        @DefaultValue("50") int maxSlowBodies,
        @DefaultValue("10000") int maxWaiting,
        @DefaultValue("1000") int maxTopics) {

    private static final Pattern BASE_PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final Pattern CLIENT_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final int SHORTEST_TOKEN = 16;
    private static final Duration LONGEST_BODY = Duration.ofMinutes(10);
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    /**
     * The HTTP interface of ouqiang/delay-queue.
     *
     * @param enabled Whether the HTTP interface of ouqiang/delay-queue is enabled.
     * @param basePath Base path of /push, /pop, /finish, /delete and /get. Empty by default.
     * @param maxWait Maximum time for which a pop waits for a job, 0 to 1 d.
     * @param maxAttempts Number of deliveries after which a job is dead-lettered, 0 or more. If 0, a job is delivered
     *     until it is finished or deleted.
     * @param contentType Content type of responses to clients of ouqiang/delay-queue.
     */
    public record Compat(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("") String basePath,
            @DefaultValue("178s") Duration maxWait,
            @DefaultValue("0") int maxAttempts,
            @DefaultValue("text/plain; charset=utf-8") String contentType) {}

    /**
     * The queue's own HTTP API.
     *
     * @param enabled Whether the queue's own HTTP API is enabled.
     * @param basePath Base path of the queue's own HTTP API.
     * @param maxWait Maximum time for which a client may wait for messages, 0 to 1 d.
     * @param maxCount Maximum number of messages that a client may send, receive or settle in one request, 1 to 500.
     */
    public record Api(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/delayqueue/v1") String basePath,
            @DefaultValue("60s") Duration maxWait,
            @DefaultValue("100") int maxCount) {}

    /** Copies the map, with the names of the clients as keys. */
    public HttpProperties {
        clients = NamedEntries.byName("delayqueue.http.clients", clients, Client::name);
    }

    /**
     * A client that sends one of its tokens. Its name appears in logs, jobs and meters.
     *
     * @param name Name of the client; by default the key of the entry.
     * @param tokens Tokens of the client, each with at least 16 visible ASCII characters. With several, tokens can be
     *     replaced one after the other.
     * @param permissions Permitted operations: produce (send, find, cancel, reschedule), consume (receive, settle) and
     *     admin (all, including those on dead letters and jobs).
     * @param topics Permitted topics. An asterisk stands for any characters. All topics by default.
     * @param requestsPerSecond Maximum number of requests per second on this node, 1 to 100,000. Unlimited by default.
     * @param maxWaiting Maximum number of requests of the client that may wait for messages on this node at the same
     *     time, 1 to 1,000,000. By default only delayqueue.http.max-waiting limits them.
     */
    public record Client(
            @Nullable String name,
            @DefaultValue List<String> tokens,
            @DefaultValue Set<Permission> permissions,
            @DefaultValue("*") List<String> topics,
            @Nullable Integer requestsPerSecond,
            @Nullable Integer maxWaiting) {

        /** Copies the collections. */
        public Client {
            tokens = List.copyOf(tokens);
            permissions = Set.copyOf(permissions);
            topics = List.copyOf(topics);
        }

        /** Omits the tokens, so that they do not appear in logs. */
        @Override
        public String toString() {
            return "Client[" + tokens.size() + " tokens, permissions=" + permissions + ", topics=" + topics + "]";
        }
    }

    /** Permissions of clients. */
    public enum Permission {

        /** Send, find, cancel and reschedule messages. */
        PRODUCE,

        /** Receive and settle messages. */
        CONSUME,

        /** All operations, including those on dead letters and jobs. */
        ADMIN
    }

    /** Whether any HTTP interface is enabled. */
    public boolean enabled() {
        return compat.enabled || api.enabled;
    }

    /**
     * Checks each value.
     *
     * @throws InvalidPropertyException if one is invalid; the message names the property
     */
    public void check() {
        requirePath("compat.base-path", compat.basePath);
        requirePath("api.base-path", api.basePath);
        require(!api.basePath.isEmpty(), "api.base-path", "must not be empty");
        boolean both = compat.enabled && api.enabled;
        require(
                !(both && compat.basePath.equals(api.basePath)),
                "compat.base-path",
                "and delayqueue.http.api.base-path must differ, but both are " + api.basePath);
        require(
                !(both && !compat.basePath.isEmpty() && api.basePath.startsWith(compat.basePath + "/")),
                "api.base-path",
                "must not be below delayqueue.http.compat.base-path, which handles all paths below it, but was "
                        + api.basePath);
        requireRange("compat.max-wait", compat.maxWait, Duration.ZERO, LONGEST_WAIT, "from 0 to 1 d");
        requireRange("api.max-wait", api.maxWait, Duration.ZERO, LONGEST_WAIT, "from 0 to 1 d");
        requireRange("compat.max-attempts", compat.maxAttempts, 0, Integer.MAX_VALUE, "0 or more");
        requireRange("api.max-count", api.maxCount, 1, 500, "from 1 to 500");
        requireRange("body-timeout", bodyTimeout, Duration.ofSeconds(1), LONGEST_BODY, "from 1 s to 10 min");
        requireRange("max-slow-bodies", maxSlowBodies, 1, 1_000_000, "from 1 to 1,000,000");
        requireRange("max-waiting", maxWaiting, 1, 1_000_000, "from 1 to 1,000,000");
        requireRange("max-topics", maxTopics, 1, 1_000_000, "from 1 to 1,000,000");
        requireRange(
                "max-body-size", maxBodySize, DataSize.ofKilobytes(1), DataSize.ofGigabytes(1), "from 1 KB to 1 GB");
        Map<String, String> owners = new HashMap<>();
        new TreeMap<>(clients).forEach((name, client) -> checkClient(name, client, owners));
        require(
                !(unsecured && !clients.isEmpty()),
                "unsecured",
                "must not be true if delayqueue.http.clients are set: remove the clients to accept"
                        + " requests without authentication, or remove delayqueue.http.unsecured");
    }

    /** Checks a client. {@code owners} has the clients that were checked before, by their tokens. */
    private static void checkClient(String name, Client client, Map<String, String> owners) {
        require(
                CLIENT_NAME.matcher(name).matches(),
                "clients[" + name + "]",
                "must have a name of 1 to 64 letters, digits, dashes and underscores");
        String prefix = "clients." + name + ".";
        require(
                !client.tokens.isEmpty(),
                prefix + "tokens",
                "must have at least one token, such as one that 'openssl rand -hex 24' generates");
        require(
                !client.permissions.isEmpty(),
                prefix + "permissions",
                "must have at least one of produce, consume and admin");
        require(
                !client.topics.isEmpty(),
                prefix + "topics",
                "must have at least one topic or pattern; remove the property to permit all topics");
        for (int i = 0; i < client.tokens.size(); i++) {
            requireToken(prefix + "tokens[" + i + "]", client.tokens.get(i));
            String other = owners.putIfAbsent(client.tokens.get(i), name);
            require(
                    other == null || other.equals(name),
                    prefix + "tokens[" + i + "]",
                    "is also a token of delayqueue.http.clients." + other + ": use different tokens for each client");
        }
        for (int i = 0; i < client.topics.size(); i++) {
            requirePattern(prefix + "topics[" + i + "]", client.topics.get(i));
        }
        if (client.requestsPerSecond != null) {
            requireRange(prefix + "requests-per-second", client.requestsPerSecond, 1, 100_000, "from 1 to 100,000");
        }
        if (client.maxWaiting != null) {
            requireRange(prefix + "max-waiting", client.maxWaiting, 1, 1_000_000, "from 1 to 1,000,000");
        }
    }

    /** Checks a token. The messages omit the token, because they are logged. */
    private static void requireToken(String name, String token) {
        require(
                !token.contains("${"),
                name,
                "is a placeholder for a property or environment variable that does not exist");
        require(
                token.length() >= SHORTEST_TOKEN && token.chars().allMatch(each -> each > ' ' && each < 0x7f),
                name,
                "must have at least " + SHORTEST_TOKEN + " visible ASCII characters and no others, but "
                        + (token.length() < SHORTEST_TOKEN
                                ? "had " + token.length() + " characters"
                                : "has characters that are not visible ASCII"));
    }

    /** Checks a pattern of topics: it must match the name of a topic, in which an asterisk stands for itself. */
    private static void requirePattern(String name, String pattern) {
        require(
                !pattern.contains("${"),
                name,
                "is a placeholder for a property or environment variable that does not exist");
        try {
            Names.checkTopic(pattern);
        } catch (IllegalArgumentException e) {
            throw invalid(name, "must be a topic, or a pattern with asterisks, but is invalid: " + e.getMessage());
        }
    }

    private static void requirePath(String name, String path) {
        require(
                BASE_PATH.matcher(path).matches(),
                name,
                "must begin with a slash, must not end with one, and may contain letters, digits,"
                        + " dots, dashes, underscores and tildes, but was '" + path + "'");
    }

    private static <T extends Comparable<T>> void requireRange(String name, T value, T min, T max, String range) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw invalid(
                    name,
                    "must be " + range + ", but was "
                            + (value instanceof Duration time ? DurationText.of(time) : value));
        }
    }

    private static void require(boolean holds, String name, String problem) {
        if (!holds) {
            throw invalid(name, problem);
        }
    }

    private static InvalidPropertyException invalid(String name, String problem) {
        return InvalidPropertyException.of("delayqueue.http." + name, problem);
    }
}
