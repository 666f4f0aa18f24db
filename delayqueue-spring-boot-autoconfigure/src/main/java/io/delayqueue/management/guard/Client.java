package io.delayqueue.management.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Printable;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;

/**
 * A client of the HTTP interfaces: one that is configured with tokens, or one that the application's own security
 * authenticates, which has neither topics nor limits. Thread-safe.
 */
public final class Client {

    /** Value of the tag {@code client} of meters if the client is not configured. */
    public static final String NO_TAG = "none";

    private static final String UNKNOWN = "http";

    /** Never updated, only copied. */
    private static final MessageDigest SHA_256 = sha256();

    private final String name;
    private final String tag;
    private final String identity;
    private final List<byte[]> digests;
    private final Set<Permission> permissions;
    /** Null for all topics. */
    private final String @Nullable [] topics;

    private final @Nullable RateLimit rateLimit;
    private final int maxWaiting;
    private final @Nullable Semaphore waits;

    /**
     * Creates a client that is configured with tokens.
     *
     * @param topics names and patterns; an asterisk stands for any characters
     * @param requestsPerSecond 1 to 1,000,000; null for unlimited
     * @param maxWaiting maximum number of requests that may wait at the same time; null for unlimited
     * @param nanoTime the monotonic clock, in nanoseconds
     */
    public Client(
            String name,
            List<String> tokens,
            Set<Permission> permissions,
            List<String> topics,
            @Nullable Integer requestsPerSecond,
            @Nullable Integer maxWaiting,
            LongSupplier nanoTime) {
        this.name = name;
        this.tag = name;
        this.identity = hex("client " + name);
        this.digests = tokens.stream().map(Client::digest).toList();
        this.permissions = Set.copyOf(permissions);
        this.topics = topics.contains("*") ? null : topics.toArray(String[]::new);
        this.rateLimit = requestsPerSecond == null ? null : new RateLimit(requestsPerSecond, nanoTime);
        this.maxWaiting = maxWaiting == null ? Integer.MAX_VALUE : maxWaiting;
        this.waits = maxWaiting == null ? null : new Semaphore(maxWaiting);
    }

    private Client(String name, String identity) {
        this.name = name;
        this.tag = NO_TAG;
        this.identity = identity;
        this.digests = List.of();
        this.permissions = Set.of();
        this.topics = null;
        this.rateLimit = null;
        this.maxWaiting = Integer.MAX_VALUE;
        this.waits = null;
    }

    /**
     * Returns the client of a request that was authorized without a token.
     *
     * @param user authenticated by the application's own security; null if there is none
     */
    public static Client ofUser(@Nullable Principal user) {
        return user == null ? new Client(UNKNOWN, "") : new Client(user.getName(), hex("user " + user.getName()));
    }

    /** Returns the configured name, the name of the user, or {@code http} if the client is not authenticated. */
    public String name() {
        return name;
    }

    /** Returns the configured name, or {@link #NO_TAG}. */
    public String tag() {
        return tag;
    }

    /**
     * Returns what distinguishes the client from all others, also after its tokens were replaced.
     *
     * @return a hash of fixed length; empty if the client is not authenticated
     */
    public String identity() {
        return identity;
    }

    /** Returns whether the client has a token, or the application's own security authenticated it. */
    boolean isAuthenticated() {
        return !identity.isEmpty();
    }

    /** Returns the maximum number of requests of the client that may wait at the same time. */
    public int maxWaiting() {
        return maxWaiting;
    }

    /** Begins a wait, which ends with {@link #endWait}. Returns false if the maximum number of requests waits. */
    public boolean beginWait() {
        return waits == null || waits.tryAcquire();
    }

    /** Ends a wait. */
    public void endWait() {
        if (waits != null) {
            waits.release();
        }
    }

    /** Returns whether the client has access to some topics only. */
    public boolean isLimitedToTopics() {
        return topics != null;
    }

    /** Returns whether the client has access to a topic. */
    public boolean permits(String topic) {
        // a comparison with several asterisks is slow for long texts, which are not topics
        return topics == null
                || (topic.length() <= DelayMessage.MAX_TOPIC_BYTES && PatternMatchUtils.simpleMatch(topics, topic));
    }

    /**
     * Checks whether the client has access to a topic.
     *
     * @throws AccessDeniedException if it has none
     */
    public void requireTopic(String topic) {
        if (!permits(topic)) {
            throw forbidden("Client '" + name + "' has no access to topic '" + Printable.of(topic)
                    + "'. Use a topic that delayqueue.http.clients." + name + ".topics permits, or add this one.");
        }
    }

    /**
     * Checks whether the client has access to the topic of a message that the request names by its id alone.
     *
     * @throws AccessDeniedException if it has none; does not name the topic
     */
    public void requireTopicOfMessage(String topic) {
        if (!permits(topic)) {
            throw forbidden("A message with this id is in a topic to which client '" + name
                    + "' has no access. Use another id, or permit the topic in delayqueue.http.clients." + name
                    + ".topics.");
        }
    }

    private static AccessDeniedException forbidden(String sentence) {
        return new AccessDeniedException(new Rejection(403, sentence));
    }

    /** Returns whether one of the tokens has a digest. Compares with all of them, to take the same time for each. */
    boolean hasToken(byte[] digest) {
        boolean found = false;
        for (byte[] each : digests) {
            found |= MessageDigest.isEqual(each, digest);
        }
        return found;
    }

    boolean hasAny(Permission... anyOf) {
        return permissions.contains(Permission.ADMIN) || Arrays.stream(anyOf).anyMatch(permissions::contains);
    }

    boolean isWithinRateLimit() {
        return rateLimit == null || rateLimit.tryAcquire();
    }

    static byte[] digest(String text) {
        try { // a copy is cheaper than a search for the provider
            return ((MessageDigest) SHA_256.clone()).digest(text.getBytes(UTF_8));
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(digest(text));
    }
}
