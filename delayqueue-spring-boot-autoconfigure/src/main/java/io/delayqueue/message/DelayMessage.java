package io.delayqueue.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to be sent: topic and payload, and what else is to be fixed for it. Immutable as far as its payload is.
 *
 * <pre>{@code
 * DelayMessage.to("order-cancel").id(orderNo).payload(cancel).delay(Duration.ofMinutes(30)).build()
 * }</pre>
 */
public final class DelayMessage {

    /** The longest topic, in bytes of UTF-8. */
    public static final int MAX_TOPIC_BYTES = 128;

    /** The longest id, in bytes of UTF-8. */
    public static final int MAX_ID_BYTES = 256;

    private static final Duration SHORTEST_MEMORY = Duration.ofSeconds(1);
    private static final Duration LONGEST_MEMORY = Duration.ofDays(30);

    private final String topic;
    private final @Nullable String id;
    private final Object payload;
    private final Due due;
    private final Map<String, String> headers;
    private final MessageLimits limits;
    private final OnDuplicate onDuplicate;
    private final @Nullable String nonce;
    private final @Nullable Duration remembered;

    private DelayMessage(Builder builder, Object payload) {
        this.topic = builder.topic;
        this.id = builder.id;
        this.payload = payload;
        this.due = builder.due == null ? Due.NOW : builder.due;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.limits = new MessageLimits(builder.maxAttempts, builder.lease, builder.expireAfter, builder.expireAt);
        this.onDuplicate = builder.onDuplicate;
        this.nonce = builder.nonce;
        this.remembered = builder.remembered;
    }

    /**
     * Begins a message.
     *
     * @param topic 1 to 128 bytes of UTF-8, any characters
     * @throws IllegalArgumentException if the topic is blank or too long
     */
    public static Builder to(String topic) {
        return new Builder(checkTopic(topic));
    }

    /**
     * Checks a topic's name.
     *
     * @return the name
     * @throws IllegalArgumentException if it is blank or longer than 128 bytes
     */
    public static String checkTopic(String topic) {
        return check("topic", topic, MAX_TOPIC_BYTES);
    }

    /**
     * Checks an id.
     *
     * @return the id
     * @throws IllegalArgumentException if it is blank or longer than 256 bytes
     */
    public static String checkId(String id) {
        return check("message id", id, MAX_ID_BYTES);
    }

    private static String check(String what, String value, int max) {
        Objects.requireNonNull(value, what);
        if (value.isBlank()) {
            throw new IllegalArgumentException("A " + what + " must not be blank");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("A " + what + " must not hold half a surrogate pair: " + value);
        }
        int length = value.getBytes(StandardCharsets.UTF_8).length;
        if (length > max) {
            throw new IllegalArgumentException(
                    "A " + what + " has at most " + max + " bytes of UTF-8, but this one has " + length + ": " + value);
        }
        return value;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id, or null if one is to be generated. */
    public @Nullable String id() {
        return id;
    }

    /** The payload as it was given. */
    public Object payload() {
        return payload;
    }

    /** When it is due. */
    public Due due() {
        return due;
    }

    /** The headers, unmodifiable, in the order given. */
    public Map<String, String> headers() {
        return headers;
    }

    /** What the message fixes for itself. */
    public MessageLimits limits() {
        return limits;
    }

    /** What is to happen if the id is live. */
    public OnDuplicate onDuplicate() {
        return onDuplicate;
    }

    /**
     * By which Redis recognises a repeat of one send. Null but for messages that come out of an unknown outcome.
     */
    public @Nullable String nonce() {
        return nonce;
    }

    /** For how long its nonce is known, whatever becomes of the message; null for as long as the message is live. */
    public @Nullable Duration remembered() {
        return remembered;
    }

    /** A builder that starts from this message. */
    public Builder toBuilder() {
        Builder builder = new Builder(topic);
        builder.id = id;
        builder.payload = payload;
        builder.due = due;
        builder.headers.putAll(headers);
        builder.maxAttempts = limits.maxAttempts();
        builder.lease = limits.lease();
        builder.expireAfter = limits.expireAfter();
        builder.expireAt = limits.expireAt();
        builder.onDuplicate = onDuplicate;
        builder.nonce = nonce;
        builder.remembered = remembered;
        builder.dueGiven = false;
        return builder;
    }

    @Override
    public String toString() {
        return "DelayMessage[topic=" + topic + ", id=" + id + ", due=" + due + "]";
    }

    /** Collects a message's parts. Not thread-safe. */
    public static final class Builder {

        private final String topic;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String id;
        private @Nullable Object payload;
        private @Nullable Due due;
        private boolean dueGiven;
        private @Nullable Integer maxAttempts;
        private @Nullable Duration lease;
        private @Nullable Duration expireAfter;
        private @Nullable Instant expireAt;
        private OnDuplicate onDuplicate = OnDuplicate.REFUSE;
        private @Nullable String nonce;
        private @Nullable Duration remembered;

        private Builder(String topic) {
            this.topic = topic;
        }

        /**
         * Names the message, so that it can be cancelled, rescheduled and found, and so that it is stored only once.
         * Without it a time-ordered id is generated.
         *
         * @param id 1 to 256 bytes of UTF-8, any characters
         */
        public Builder id(String id) {
            this.id = checkId(id);
            return this;
        }

        /**
         * Sets the payload.
         *
         * @param payload a {@code String}, a {@code byte[]}, or anything the payload converter takes
         */
        public Builder payload(Object payload) {
            this.payload = Objects.requireNonNull(payload, "payload");
            return this;
        }

        /**
         * Due after a delay from now, by Redis' clock.
         *
         * @param delay zero or more, at most the configured limit (10 years by default)
         */
        public Builder delay(Duration delay) {
            if (delay.isNegative()) {
                throw new IllegalArgumentException("A delay is zero or more, but is " + delay);
            }
            return due(Due.after(delay));
        }

        /**
         * Due at a date, by Redis' clock; one that has passed means now.
         *
         * @param date the date, at most the configured limit (10 years by default) ahead
         */
        public Builder dueAt(Instant date) {
            return due(Due.at(date));
        }

        private Builder due(Due due) {
            if (dueGiven) {
                throw new IllegalArgumentException("Set a delay or a due date, once");
            }
            this.due = due;
            this.dueGiven = true;
            return this;
        }

        /**
         * Adds a header.
         *
         * @param name not blank
         * @param value any text
         */
        public Builder header(String name, String value) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("A header's name must not be blank");
            }
            headers.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Adds headers. */
        public Builder headers(Map<String, String> headers) {
            headers.forEach(this::header);
            return this;
        }

        /**
         * How often it may be delivered, whatever the listener says.
         *
         * @param maxAttempts 1 or more
         */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        /**
         * For how long a delivery is leased before it must be renewed, whatever the listener says.
         *
         * @param lease 1 second to 1 day
         */
        public Builder lease(Duration lease) {
            this.lease = lease;
            return this;
        }

        /**
         * How late it is still worth handling; a later claim sends it to the dead letters.
         *
         * @param lateness counted from the due time of the send or the last reschedule; 0 to 1,000 years
         */
        public Builder expireAfter(Duration lateness) {
            this.expireAfter = lateness;
            return this;
        }

        /**
         * Until when it is worth handling; a later claim sends it to the dead letters.
         *
         * @param date the last moment, between 1970 and 9999
         */
        public Builder expireAt(Instant date) {
            this.expireAt = date;
            return this;
        }

        /** What is to happen if the id is live; refused unless said otherwise. */
        public Builder onDuplicate(OnDuplicate onDuplicate) {
            this.onDuplicate = Objects.requireNonNull(onDuplicate, "onDuplicate");
            return this;
        }

        /**
         * Marks a repeat of an earlier send. Applications have no need of it: messages that come out of an unknown
         * outcome carry it already.
         *
         * @param nonce letters and digits
         */
        public Builder nonce(String nonce) {
            this.nonce = nonce;
            return this;
        }

        /**
         * Recognises a repeat also when the message has gone: in that time, whatever is sent with its id and nonce is
         * answered as the first send was, and not stored.
         *
         * @param time 1 s to 30 d, from the first send on; the nonce must be that send's only
         */
        public Builder rememberFor(Duration time) {
            if (time.compareTo(SHORTEST_MEMORY) < 0 || time.compareTo(LONGEST_MEMORY) > 0) {
                throw new IllegalArgumentException("A send is remembered for 1 s to 30 d, but not for " + time);
            }
            this.remembered = time;
            return this;
        }

        /**
         * Builds the message.
         *
         * @throws IllegalArgumentException if a limit is out of range, the payload is missing, or it is to be remembered
         *     without id or nonce
         */
        public DelayMessage build() {
            if (payload == null) {
                throw new IllegalArgumentException("A message to topic " + topic + " needs a payload");
            }
            if (remembered != null && (id == null || nonce == null)) {
                throw new IllegalArgumentException("A send is remembered by its id and its nonce: set both");
            }
            return new DelayMessage(this, payload);
        }
    }
}
