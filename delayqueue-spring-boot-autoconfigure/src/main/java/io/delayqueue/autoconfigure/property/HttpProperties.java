package io.delayqueue.autoconfigure.property;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Doors for other languages, over HTTP.
 *
 * @param compat The interface of ouqiang/delay-queue, for clients that are written for it.
 * @param api The queue's own interface.
 * @param tokens By which clients are let in where the application has no Spring Security of its own; several of a kind, so
 *     that they can be changed one after the other.
 * @param unsecured Whether everybody who reaches an enabled door is let in; not beside tokens.
 * @param maxBodySize Largest body of a request, 1 KB to 1 GB.
 * @param maxWaiting How many clients may wait for messages at once on this node, 1 to 1,000,000.
 */
public record HttpProperties(
        @DefaultValue Compat compat,
        @DefaultValue Api api,
        @DefaultValue Tokens tokens,
        @DefaultValue("false") boolean unsecured,
        @DefaultValue("2MB") DataSize maxBodySize,
        @DefaultValue("10000") int maxWaiting) {

    private static final Pattern BASE_PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final int MOST_WAITING = 1_000_000;
    private static final int LARGEST_COUNT = 500;
    private static final int SHORTEST_TOKEN = 16;
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    /**
     * The interface of ouqiang/delay-queue.
     *
     * @param enabled Whether the interface of ouqiang/delay-queue is open.
     * @param basePath What stands before /push, /pop, /finish, /delete and /get; nothing unless said.
     * @param maxWait How long a pop waits for a job, 0 to 1 d.
     * @param maxAttempts After how many deliveries a job goes to the dead letters; with 0 it is delivered until it is
     *     finished or deleted.
     * @param contentType The content type of answers to clients of ouqiang/delay-queue.
     */
    public record Compat(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("") String basePath,
            @DefaultValue("178s") Duration maxWait,
            @DefaultValue("0") int maxAttempts,
            @DefaultValue("text/plain; charset=utf-8") String contentType) {}

    /**
     * The queue's own interface.
     *
     * @param enabled Whether the queue's own HTTP interface is open.
     * @param basePath What the paths of the queue's own HTTP interface begin with.
     * @param maxWait How long a client may wait for messages at most, 0 to 1 d.
     * @param maxCount How many messages a client may send or receive at once, 1 to 500.
     */
    public record Api(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/delayqueue/v1") String basePath,
            @DefaultValue("60s") Duration maxWait,
            @DefaultValue("100") int maxCount) {}

    /**
     * By which clients are let in; each at least 16 letters, digits or other visible ASCII characters.
     *
     * @param produce Tokens of clients that send, cancel, reschedule and find messages.
     * @param consume Tokens of clients that receive messages and answer them.
     * @param admin Tokens of clients that may do everything, dead letters included.
     */
    public record Tokens(
            @DefaultValue List<String> produce,
            @DefaultValue List<String> consume,
            @DefaultValue List<String> admin) {

        /** Copies them. */
        public Tokens {
            produce = List.copyOf(produce);
            consume = List.copyOf(consume);
            admin = List.copyOf(admin);
        }

        /** Whether there is any. */
        public boolean given() {
            return Stream.of(produce, consume, admin).anyMatch(kind -> !kind.isEmpty());
        }

        /** Tokens are not for logs. */
        @Override
        public String toString() {
            return "Tokens[" + produce.size() + " to produce, " + consume.size() + " to consume, " + admin.size()
                    + " to do everything]";
        }
    }

    /** Whether any door is open. */
    public boolean enabled() {
        return compat.enabled || api.enabled;
    }

    /**
     * Checks each value.
     *
     * @throws IllegalArgumentException in a sentence that begins with the property
     */
    public HttpProperties check() {
        checkPath("delayqueue.http.compat.base-path", compat.basePath);
        checkPath("delayqueue.http.api.base-path", api.basePath);
        require(!api.basePath.isEmpty(), "delayqueue.http.api.base-path must not be empty");
        require(
                !(compat.enabled && api.enabled && compat.basePath.equals(api.basePath)),
                "delayqueue.http.compat.base-path and delayqueue.http.api.base-path must differ, but both are "
                        + api.basePath);
        require(
                !(compat.enabled
                        && api.enabled
                        && !compat.basePath.isEmpty()
                        && api.basePath.startsWith(compat.basePath + "/")),
                "delayqueue.http.api.base-path must not lie below delayqueue.http.compat.base-path, which takes all that is"
                        + " there, but is " + api.basePath);
        checkWait("delayqueue.http.compat.max-wait", compat.maxWait);
        checkWait("delayqueue.http.api.max-wait", api.maxWait);
        require(
                compat.maxAttempts >= 0,
                "delayqueue.http.compat.max-attempts is 0 or more, but is " + compat.maxAttempts);
        require(
                api.maxCount >= 1 && api.maxCount <= LARGEST_COUNT,
                "delayqueue.http.api.max-count is 1 to " + LARGEST_COUNT + ", but is " + api.maxCount);
        require(
                maxWaiting >= 1 && maxWaiting <= MOST_WAITING,
                "delayqueue.http.max-waiting is 1 to 1,000,000, but is " + maxWaiting);
        require(
                maxBodySize.toBytes() >= DataSize.ofKilobytes(1).toBytes()
                        && maxBodySize.toBytes() <= DataSize.ofGigabytes(1).toBytes(),
                "delayqueue.http.max-body-size is 1 KB to 1 GB, but is " + maxBodySize);
        checkTokens("produce", tokens.produce);
        checkTokens("consume", tokens.consume);
        checkTokens("admin", tokens.admin);
        require(
                !(unsecured && tokens.given()),
                "delayqueue.http.unsecured and delayqueue.http.tokens exclude each other: remove the tokens, and everybody is"
                        + " let in, or remove delayqueue.http.unsecured");
        return this;
    }

    private static void checkPath(String property, String path) {
        require(
                BASE_PATH.matcher(path).matches(),
                property
                        + " begins with a slash, ends without one and has letters, digits, dots, dashes, underscores or"
                        + " tildes in between, but is '" + path + "'");
    }

    private static void checkWait(String property, Duration wait) {
        require(!wait.isNegative() && wait.compareTo(LONGEST_WAIT) <= 0, property + " is 0 to 1 d, but is " + wait);
    }

    /** Without the token itself, which the sentence would carry into a log. */
    private static void checkTokens(String kind, List<String> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            require(
                    !token.contains("${"),
                    "delayqueue.http.tokens." + kind + "[" + i
                            + "] is a placeholder for a property or environment variable that is not there");
            require(
                    token.length() >= SHORTEST_TOKEN && token.chars().allMatch(each -> each > ' ' && each < 0x7f),
                    "delayqueue.http.tokens." + kind + "[" + i + "] has at least " + SHORTEST_TOKEN
                            + " visible ASCII characters, but this one has " + token.length()
                            + (token.length() < SHORTEST_TOKEN ? "" : ", or others"));
        }
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
