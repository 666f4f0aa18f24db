package io.delayqueue.message;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.Assert;

/**
 * A message to send: its topic, payload and options. Immutable if its payload is.
 *
 * <pre>{@code
 * DelayMessage.to("order-cancel").id(orderNo).payload(cancel).delay(Duration.ofMinutes(30)).build()
 * }</pre>
 */
public final class DelayMessage {

    /** Maximum length of a topic, in bytes of UTF-8. */
    public static final int MAX_TOPIC_BYTES = 128;

    /** Maximum length of an id or a key, in bytes of UTF-8. */
    public static final int MAX_ID_BYTES = 256;

    /** The greatest version: 2<sup>53</sup> − 1, up to which Lua represents integers exactly. */
    public static final long MAX_VERSION = (1L << 53) - 1;

    private static final Duration MIN_REMEMBERED = Duration.ofSeconds(1);
    private static final Duration MAX_REMEMBERED = Duration.ofDays(30);

    private final String topic;
    private final @Nullable String id;
    private final Object payload;
    private final @Nullable Type payloadType;
    private final Due due;
    private final Map<String, String> headers;
    private final MessageLimits limits;
    private final @Nullable String key;
    private final @Nullable OnDuplicate onDuplicate;
    private final @Nullable String nonce;
    private final @Nullable SendHistory history;
    private final @Nullable Duration remembered;
    private final @Nullable Durability durability;

    private DelayMessage(Builder builder, Object payload) {
        this.topic = builder.topic;
        this.id = builder.id;
        this.payload = payload;
        this.payloadType = builder.payloadType;
        this.due = builder.due == null ? Due.NOW : builder.due;
        this.headers = builder.headers.isEmpty()
                ? Collections.emptyMap()
                : Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.limits = new MessageLimits(builder.maxAttempts, builder.lease, builder.expireAfter, builder.expireAt);
        this.key = builder.key;
        this.onDuplicate = builder.onDuplicate;
        this.nonce = builder.nonce;
        // each send of a message without an id generates another id, so that no send repeats an earlier one
        this.history = builder.id == null ? null : builder.history;
        this.remembered = builder.remembered;
        this.durability = builder.durability;
    }

    /**
     * Creates a builder.
     *
     * @param topic 1 to 128 bytes of UTF-8, any characters
     * @throws IllegalArgumentException if the topic is blank, too long or contains an unpaired surrogate
     */
    public static Builder to(String topic) {
        return new Builder(Names.checkTopic(topic));
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id; null if the send generates one. */
    public @Nullable String id() {
        return id;
    }

    /** The payload before conversion. */
    public Object payload() {
        return payload;
    }

    /** The type as which the payload is written; null if its class says all about it. */
    public @Nullable Type payloadType() {
        return payloadType;
    }

    /** When the message becomes due. */
    public Due due() {
        return due;
    }

    /** The headers, unmodifiable, in insertion order. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The limits that the message sets for itself. */
    public MessageLimits limits() {
        return limits;
    }

    /** The key; null if the message has none. */
    public @Nullable String key() {
        return key;
    }

    /**
     * What the send does if the id is live. {@link OnDuplicate#REPLACE} for a debounced message, although it follows one
     * that is being handled.
     */
    public OnDuplicate onDuplicate() {
        if (due.isDebounced()) {
            return OnDuplicate.REPLACE;
        }
        return onDuplicate == null ? OnDuplicate.REJECT : onDuplicate;
    }

    /**
     * Identifies repeats of one send. Null unless a nonce or version was set or the message comes from an unknown
     * outcome. A version is stored as a nonce: {@code n} and sixteen digits.
     */
    public @Nullable String nonce() {
        return nonce;
    }

    /** Whether an earlier send may have stored this message. If so, a failed send leaves the outcome unknown. */
    public boolean isRepeat() {
        return history != null && history.mayBeStored();
    }

    /** What this process knows about earlier sends; null if there were none. */
    @Nullable
    SendHistory history() {
        return history;
    }

    /**
     * How long Redis keeps the nonce, independently of the message; null if Redis keeps it only while the message is
     * live.
     */
    public @Nullable Duration remembered() {
        return remembered;
    }

    /** The confirmation that the send waits for; null if the topic's applies. */
    public @Nullable Durability durability() {
        return durability;
    }

    /** Creates a builder with the values of this message. */
    public Builder toBuilder() {
        Builder builder = new Builder(topic);
        builder.id = id;
        builder.payload = payload;
        builder.payloadType = payloadType;
        builder.due = due;
        builder.headers.putAll(headers);
        builder.maxAttempts = limits.maxAttempts();
        builder.lease = limits.lease();
        builder.expireAfter = limits.expireAfter();
        builder.expireAt = limits.expireAt();
        builder.key = key;
        builder.onDuplicate = onDuplicate;
        builder.nonce = nonce;
        builder.history = history;
        builder.remembered = remembered;
        builder.durability = durability;
        builder.dueGiven = false;
        return builder;
    }

    @Override
    public String toString() {
        return "DelayMessage[topic=" + Printable.of(topic) + ", id=" + Printable.of(id) + ", due=" + due + "]";
    }

    /** Builds a message. Not thread-safe. */
    public static final class Builder {

        private final String topic;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable String id;
        private @Nullable Object payload;
        private @Nullable Type payloadType;
        private @Nullable Due due;
        private boolean dueGiven;
        private @Nullable Integer maxAttempts;
        private @Nullable Duration lease;
        private @Nullable Duration expireAfter;
        private @Nullable Instant expireAt;
        private @Nullable String key;
        private @Nullable OnDuplicate onDuplicate;
        private @Nullable String nonce;
        private @Nullable SendHistory history;
        private @Nullable Duration remembered;
        private @Nullable Durability durability;

        private Builder(String topic) {
            this.topic = topic;
        }

        /**
         * Sets the id. With it the message can be cancelled, rescheduled and found, and a second send is recognised
         * as a duplicate. By default the send generates a time-ordered id.
         *
         * @param id 1 to 256 bytes of UTF-8, any characters
         * @throws IllegalArgumentException if the id is blank, too long or contains an unpaired surrogate
         */
        public Builder id(String id) {
            this.id = Names.checkId(id);
            return this;
        }

        /**
         * Sets the payload. Required.
         *
         * @param payload a {@code String}, a {@code byte[]}, or an object that the payload converter accepts. JSON
         *     accepts objects with properties, but no lambdas or threads
         */
        public Builder payload(Object payload) {
            Assert.notNull(payload, "'payload' must not be null");
            if (payload instanceof DelayMessage) {
                throw new IllegalArgumentException(
                        "A DelayMessage can't be a payload; send it without a topic: send(message)");
            }
            this.payload = payload;
            this.payloadType = null;
            return this;
        }

        /**
         * Sets the payload and its generic type, which its class does not know, such as {@code List<Event>} with type ids
         * of its elements.
         *
         * @param type such as {@code new ParameterizedTypeReference<List<Event>>() {}}
         */
        public <T> Builder payload(T payload, ParameterizedTypeReference<T> type) {
            Assert.notNull(type, "'type' must not be null");
            payload(payload);
            this.payloadType = type.getType();
            return this;
        }

        /**
         * Sets the delay, which starts when Redis stores the message. By default the message is due at once.
         *
         * @param delay zero or more; the send rejects a delay above {@code delayqueue.limits.max-delay} (10 years by
         *     default)
         * @throws IllegalArgumentException if the delay is negative, or a delay, due date or debounce is already set
         */
        public Builder delay(Duration delay) {
            return due(Due.after(delay));
        }

        /**
         * Sets the due date, compared with Redis' clock. A date in the past means at once.
         *
         * @param dueAt between 2000 and 9999; the send rejects a date farther ahead than
         *     {@code delayqueue.limits.max-delay} (10 years by default)
         * @throws IllegalArgumentException if the date is out of range, or a delay, due date or debounce is already set
         */
        public Builder dueAt(Instant dueAt) {
            return due(Due.at(dueAt));
        }

        /**
         * Makes the message due when it was not sent again for a time. Each send of the id replaces the live message, and
         * moves the due time to {@code quiet} from now, but not beyond {@code atTheLatest} after the first of these sends.
         * The last payload is delivered. Requires an id.
         *
         * <p>While the live message is being handled, the new one becomes its successor, as with
         * {@link OnDuplicate#AFTER_RUNNING}; {@code atTheLatest} then counts from the first send of the successor. A
         * message that waits for its next attempt is replaced.
         *
         * @param quiet more than zero; counted from when Redis stores the message
         * @param atTheLatest at least {@code quiet}; the send rejects a time above {@code delayqueue.limits.max-delay} (10
         *     years by default)
         * @throws IllegalArgumentException if a time is out of its range, or a delay, due date or debounce is already set
         */
        public Builder debounce(Duration quiet, Duration atTheLatest) {
            return due(Due.debounced(quiet, atTheLatest));
        }

        private Builder due(Due due) {
            if (dueGiven) {
                throw new IllegalArgumentException(
                        "A delay, due date or debounce is already set; set only one of them, once");
            }
            this.due = due;
            this.dueGiven = true;
            return this;
        }

        /**
         * Adds a header, or replaces the header of the same name.
         *
         * @param name not blank
         * @param value any text
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder header(String name, String value) {
            Assert.notNull(name, "'name' must not be null");
            Assert.notNull(value, "'value' must not be null");
            if (name.isBlank()) {
                throw new IllegalArgumentException("A header's name must not be blank");
            }
            headers.put(name, value);
            return this;
        }

        /** Adds headers, as {@link #header} does. */
        public Builder headers(Map<String, String> headers) {
            Assert.notNull(headers, "'headers' must not be null");
            headers.forEach(this::header);
            return this;
        }

        /**
         * Sets the maximum number of attempts. Overrides the listener's value.
         *
         * @param maxAttempts 1 or more, checked by {@link #build}
         */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        /**
         * Sets how long a delivery is leased before it must be renewed. Overrides the listener's value.
         *
         * @param lease 1 second to 1 day, checked by {@link #build}
         */
        public Builder lease(Duration lease) {
            Assert.notNull(lease, "'lease' must not be null");
            this.lease = lease;
            return this;
        }

        /**
         * Sets how long after its due time the message may still be claimed. A later claim dead-letters it.
         *
         * @param lateness counted from the due time of the send or the last reschedule; 0 to 1,000 years, checked by
         *     {@link #build}
         */
        public Builder expireAfter(Duration lateness) {
            Assert.notNull(lateness, "'lateness' must not be null");
            this.expireAfter = lateness;
            return this;
        }

        /**
         * Sets the date until which the message may be claimed. A later claim dead-letters it. A date before the message is
         * due is rejected: by {@link #build} after a due date, by the send after a delay.
         *
         * @param date between 2000 and 9999
         * @throws IllegalArgumentException if the date is out of range
         */
        public Builder expireAt(Instant date) {
            Assert.notNull(date, "'date' must not be null");
            this.expireAt = Dates.check("expireAt", date);
            return this;
        }

        /**
         * Sets the key. The property {@code delayqueue.topics[...].keys} decides what it means.
         *
         * <ul>
         *   <li>{@code ordered}: messages of one key are handled one at a time, in the order of their due times. A message
         *       without a key is rejected.
         *   <li>{@code fair}: the keys share the starts of deliveries equally. Messages without a key share one.
         *   <li>{@code none}, the default: a message with a key is rejected.
         * </ul>
         *
         * @param key 1 to 256 bytes of UTF-8, any characters, such as the number of an account
         * @throws IllegalArgumentException if the key is blank, too long or contains an unpaired surrogate
         */
        public Builder key(String key) {
            this.key = Names.checkKey(key);
            return this;
        }

        /** Sets what the send does if the id is live; {@link OnDuplicate#REJECT} by default. */
        public Builder onDuplicate(OnDuplicate onDuplicate) {
            Assert.notNull(onDuplicate, "'onDuplicate' must not be null");
            this.onDuplicate = onDuplicate;
            return this;
        }

        /**
         * Marks the message as a repeat of an earlier send whose {@link #nonce} the caller has kept, for example beyond a
         * restart. If the earlier send stored the message, the repeat is recognised and stores nothing. If the repeat
         * fails, the outcome is unknown, because the earlier send may have stored the message.
         *
         * <p>The message of an unknown outcome is marked already.
         *
         * @param nonce the nonce of the earlier send
         */
        public Builder repeatOf(String nonce) {
            return repeatOf(nonce, SendHistory.ofOtherProcess());
        }

        Builder repeatOf(String nonce, SendHistory history) {
            Assert.notNull(nonce, "'nonce' must not be null");
            this.nonce = nonce;
            this.history = history;
            return this;
        }

        /**
         * Sets the nonce of a message that was not sent before, so that the caller can repeat the send without the
         * first message object.
         *
         * @param nonce 1 to 64 letters and digits, used for this send only; checked by the send. {@code n} and sixteen
         *     digits are a {@link #version}
         */
        public Builder nonce(String nonce) {
            Assert.notNull(nonce, "'nonce' must not be null");
            this.nonce = nonce;
            this.history = null;
            return this;
        }

        /**
         * Orders the sends of an id. With {@link OnDuplicate#REPLACE} and {@link OnDuplicate#AFTER_RUNNING}, if the live
         * message or its successor has a greater version, both are kept, and this message is not stored. A message without
         * a version replaces or follows any other. A second send of the same version, with the same limits, counts as a
         * repeat of the first.
         *
         * @param version 0 to {@link #MAX_VERSION}
         * @throws IllegalArgumentException if the version is out of range
         */
        public Builder version(long version) {
            return nonce(Versions.nonce(version));
        }

        /**
         * Keeps the nonce longer than the message. Until the time has passed, a send with the same id and nonce
         * stores nothing and has the result of the first send, even if the message no longer exists. Requires an id
         * and a nonce.
         *
         * @param time 1 second to 30 days, counted from the first send; the nonce must belong to that send only
         * @throws IllegalArgumentException if the time is out of range
         */
        public Builder rememberFor(Duration time) {
            Assert.notNull(time, "'time' must not be null");
            InvalidOptionException.requireRange("rememberFor", time, MIN_REMEMBERED, MAX_REMEMBERED);
            this.remembered = time;
            return this;
        }

        /**
         * Sets the confirmation that the send waits for. By default the topic's applies
         * ({@code delayqueue.topics[...].durability}).
         */
        public Builder durability(Durability durability) {
            Assert.notNull(durability, "'durability' must not be null");
            this.durability = durability;
            return this;
        }

        /**
         * Builds the message.
         *
         * @throws IllegalArgumentException if the payload is missing, a limit is out of range, both expiries are set, the
         *     expiry is before the due date, {@link #rememberFor} was called without an id and a nonce, or {@link #debounce}
         *     without an id or with a version or {@link #onDuplicate}
         */
        public DelayMessage build() {
            if (payload == null) {
                throw new IllegalArgumentException(
                        "The message to topic " + Printable.of(topic) + " has no payload; set one");
            }
            if (remembered != null && (id == null || nonce == null)) {
                throw new IllegalArgumentException("rememberFor requires an id and a nonce; set both");
            }
            if (due != null && !due.relative() && expireAt != null && expireAt.toEpochMilli() < due.millis()) {
                throw new IllegalArgumentException("The message to topic " + Printable.of(topic) + " expires at "
                        + expireAt + ", before it is due at " + Instant.ofEpochMilli(due.millis()));
            }
            if (due != null && due.isDebounced()) {
                checkDebounced();
            }
            return new DelayMessage(this, payload);
        }

        private void checkDebounced() {
            if (id == null) {
                throw new IllegalArgumentException(
                        "debounce requires an id; set the one that the sends have in common");
            }
            if (onDuplicate != null) {
                throw new IllegalArgumentException(
                        "debounce and onDuplicate exclude each other: a debounced message replaces the live one");
            }
            if (nonce != null && Versions.isVersion(nonce)) {
                throw new IllegalArgumentException("debounce and version exclude each other: the last send counts");
            }
        }
    }
}
