package io.delayqueue.forward;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message as a broker gets it. Immutable, but for its body, which is not copied. */
public final class ForwardedMessage {

    private final String id;
    private final String destination;
    private final @Nullable String routingKey;
    private final String key;
    private final String contentType;
    private final byte[] body;
    private final Map<String, String> headers;

    private ForwardedMessage(Builder builder) {
        this.id = builder.id;
        this.destination = builder.destination;
        this.routingKey = builder.routingKey;
        this.key = builder.key;
        this.contentType = builder.contentType;
        this.body = builder.body;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
    }

    /**
     * Begins a message.
     *
     * @param id the delivered message's
     * @param destination where it goes
     * @param body its bytes; not copied, not to be changed
     */
    public static Builder of(String id, String destination, byte[] body) {
        return new Builder(id, destination, body);
    }

    /** The id of the message in the queue: RabbitMQ's {@code message_id}. */
    public String id() {
        return id;
    }

    /** Where it goes; the route's destination unless a mapper says otherwise. */
    public String destination() {
        return destination;
    }

    /** RabbitMQ's routing key; null for the topic's name. */
    public @Nullable String routingKey() {
        return routingKey;
    }

    /** Kafka's key, by which the partition is chosen: the header {@code keys}, and the id where there is none. */
    public String key() {
        return key;
    }

    /** The body's content type, {@code application/json} unless the message's header {@code content-type} says otherwise. */
    public String contentType() {
        return contentType;
    }

    /** The body; not to be changed. */
    public byte[] body() {
        return body;
    }

    /** The headers in their order, unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** A builder that starts from this one. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, destination, body);
        builder.routingKey = routingKey;
        builder.key = key;
        builder.contentType = contentType;
        builder.headers.putAll(headers);
        return builder;
    }

    /** Without the body, which may be anything. */
    @Override
    public String toString() {
        return "message " + id + " to '" + destination + "'" + " with key '" + key + "', " + body.length + " bytes of "
                + contentType + " and headers " + headers.keySet();
    }

    /** Collects what a broker gets. Not thread-safe. */
    public static final class Builder {

        private final String id;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private String destination;
        private @Nullable String routingKey;
        private String key;
        private String contentType = "application/json";
        private byte[] body;

        private Builder(String id, String destination, byte[] body) {
            this.id = id;
            this.destination = destination;
            this.key = id;
            this.body = body;
        }

        /** See {@link ForwardedMessage#destination()}. */
        public Builder destination(String destination) {
            this.destination = Objects.requireNonNull(destination, "destination");
            return this;
        }

        /** See {@link ForwardedMessage#routingKey()}. */
        public Builder routingKey(@Nullable String routingKey) {
            this.routingKey = routingKey;
            return this;
        }

        /** See {@link ForwardedMessage#key()}. */
        public Builder key(String key) {
            this.key = Objects.requireNonNull(key, "key");
            return this;
        }

        /** See {@link ForwardedMessage#contentType()}. */
        public Builder contentType(String contentType) {
            this.contentType = Objects.requireNonNull(contentType, "contentType");
            return this;
        }

        /** See {@link ForwardedMessage#body()}. */
        public Builder body(byte[] body) {
            this.body = Objects.requireNonNull(body, "body");
            return this;
        }

        /** Sets a header, or removes it where the value is null. */
        public Builder header(String name, @Nullable String value) {
            if (value == null) {
                headers.remove(name);
            } else {
                headers.put(name, value);
            }
            return this;
        }

        /** Builds the message. */
        public ForwardedMessage build() {
            return new ForwardedMessage(this);
        }
    }
}
