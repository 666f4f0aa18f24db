package io.delayqueue.autoconfigure.property;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * HTTP interfaces for clients in other languages.
 *
 * @param compat The HTTP interface of ouqiang/delay-queue, for existing clients of it.
 * @param api The queue's own HTTP API.
 * @param tokens Tokens that authenticate clients. Without tokens, the application's Spring Security decides. Each role
 *     may have several, so that tokens can be replaced one after the other.
 * @param unsecured Whether the HTTP interfaces accept requests without authentication. Cannot be combined with tokens.
 * @param maxBodySize Maximum size of a request body, 1 KB to 1 GB.
 * @param maxWaiting Maximum number of clients that may wait for messages on this node at the same time, 1 to 1,000,000.
 * @param maxTopics HTTP clients can create a topic by sending while the namespace has fewer topics than this, 1 to
 *     1,000,000.
 */
public record HttpProperties(
        @DefaultValue Compat compat,
        @DefaultValue Api api,
        @DefaultValue Tokens tokens,
        @DefaultValue("false") boolean unsecured,
        @DefaultValue("2MB") DataSize maxBodySize,
        @DefaultValue("10000") int maxWaiting,
        @DefaultValue("1000") int maxTopics) {

    private static final Pattern BASE_PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final int SHORTEST_TOKEN = 16;
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

    /**
     * Tokens that authenticate clients. Each has at least 16 visible ASCII characters.
     *
     * @param produce Tokens of clients that send, cancel, reschedule and find messages.
     * @param consume Tokens of clients that receive and settle messages.
     * @param admin Tokens of clients that may use all operations, including those on dead letters.
     */
    public record Tokens(
            @DefaultValue List<String> produce,
            @DefaultValue List<String> consume,
            @DefaultValue List<String> admin) {

        /** Copies the lists. */
        public Tokens {
            produce = List.copyOf(produce);
            consume = List.copyOf(consume);
            admin = List.copyOf(admin);
        }

        /** Whether any token is set. */
        public boolean given() {
            return Stream.of(produce, consume, admin).anyMatch(kind -> !kind.isEmpty());
        }

        /** Omits the tokens, so that they do not appear in logs. */
        @Override
        public String toString() {
            return "Tokens[" + produce.size() + " to produce, " + consume.size() + " to consume, " + admin.size()
                    + " for all operations]";
        }
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
        requireRange("max-waiting", maxWaiting, 1, 1_000_000, "from 1 to 1,000,000");
        requireRange("max-topics", maxTopics, 1, 1_000_000, "from 1 to 1,000,000");
        requireRange(
                "max-body-size", maxBodySize, DataSize.ofKilobytes(1), DataSize.ofGigabytes(1), "from 1 KB to 1 GB");
        Map<String, String> roles = new HashMap<>();
        requireTokens("admin", tokens.admin, roles);
        requireTokens("consume", tokens.consume, roles);
        requireTokens("produce", tokens.produce, roles);
        require(
                !(unsecured && tokens.given()),
                "unsecured",
                "must not be true if delayqueue.http.tokens are set: remove the tokens to accept"
                        + " requests without authentication, or remove delayqueue.http.unsecured");
    }

    private static void requirePath(String name, String path) {
        require(
                BASE_PATH.matcher(path).matches(),
                name,
                "must begin with a slash, must not end with one, and may contain letters, digits,"
                        + " dots, dashes, underscores and tildes, but was '" + path + "'");
    }

    /**
     * Checks the tokens of a role. The messages omit the token, because they are logged.
     *
     * @param roles the roles of the tokens that were checked before. A token with two roles is rejected, because it
     *     would permit more than either list shows.
     */
    private static void requireTokens(String role, List<String> tokens, Map<String, String> roles) {
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            String name = "tokens." + role + "[" + i + "]";
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
            String other = roles.putIfAbsent(token, role);
            require(
                    other == null || other.equals(role),
                    name,
                    "is also in delayqueue.http.tokens." + other
                            + ": use different tokens for each role; a token of admin permits all operations");
        }
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
