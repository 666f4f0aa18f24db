package io.delayqueue.forward;

import io.delayqueue.message.Printable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that is forwarded to a broker. Immutable, except for the body, which is not copied. */
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
     * Creates a builder.
     *
     * @param id id of the delivered message
     * @param destination destination at the broker
     * @param body bytes of the message; not copied, must not be modified
     */
    public static Builder of(String id, String destination, byte[] body) {
        return new Builder(id, destination, body);
    }

    /** Returns the id of the message in the queue, RabbitMQ's {@code message_id}. */
    public String id() {
        return id;
    }

    /** Returns the destination, by default that of the route. */
    public String destination() {
        return destination;
    }

    /** Returns RabbitMQ's routing key, or null for the name of the topic. */
    public @Nullable String routingKey() {
        return routingKey;
    }

    /**
     * Returns Kafka's key, which determines the partition: by default the header {@code keys}, or the id without that
     * header.
     */
    public String key() {
        return key;
    }

    /**
     * Returns the content type of the body: by default the header {@code content-type}, or {@code application/json}.
     */
    public String contentType() {
        return contentType;
    }

    /** Returns the body, which must not be modified. */
    public byte[] body() {
        return body;
    }

    /** Returns the headers in their order, unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns a builder with the values of this message. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, destination, body);
        builder.routingKey = routingKey;
        builder.key = key;
        builder.contentType = contentType;
        builder.headers.putAll(headers);
        return builder;
    }

    /** Describes the message without its body and header values, which may be confidential. */
    @Override
    public String toString() {
        return "message " + Printable.of(id) + " to '" + destination + "'" + " with key '" + key + "', " + body.length
                + " bytes of " + contentType + " and headers " + headers.keySet();
    }

    /** Builds forwarded messages. Not thread-safe. */
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

        /** Sets a header, or removes it if the value is null. */
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
