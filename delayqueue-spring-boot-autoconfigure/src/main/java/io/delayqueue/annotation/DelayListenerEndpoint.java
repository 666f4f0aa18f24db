package io.delayqueue.annotation;

import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A listener as it was declared, by an annotation or by code. Immutable.
 *
 * <pre>{@code
 * DelayListenerEndpoint.to("order-cancel").id("cancel").handler(CancelOrder.class, deliveries -> { … })
 *         .options(options -> options.concurrency(4)).build()
 * }</pre>
 */
public final class DelayListenerEndpoint {

    private final String id;
    private final String topic;
    private final Handling handling;
    private final Consumer<ListenerOptions.Builder> options;
    private final @Nullable Boolean autoStartup;
    private final String containerFactory;
    private final Origin origin;

    private DelayListenerEndpoint(Builder builder, Handling handling) {
        this.id = builder.id;
        this.topic = builder.topic;
        this.handling = handling;
        this.options = builder.options;
        this.autoStartup = builder.autoStartup;
        this.containerFactory = builder.containerFactory;
        this.origin = builder.origin == null ? Origin.ofCode(builder.id) : builder.origin;
    }

    /** What handles what. */
    public sealed interface Handling {

        /**
         * Messages of the topic.
         *
         * @param payloadType what payloads are converted to; {@code byte[]} leaves them as they are
         * @param batch whether a call takes several messages
         * @param handler what handles them
         */
        record OfMessages(Type payloadType, boolean batch, DeliveryHandler handler) implements Handling {}

        /**
         * Deaths in the topic.
         *
         * @param handler what handles them
         */
        record OfDeaths(DeadLetterHandler handler) implements Handling {}
    }

    /** Begins the listener of a topic. */
    public static Builder to(String topic) {
        return new Builder(topic);
    }

    /** The id, unique in the application. */
    public String id() {
        return id;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** What handles what. */
    public Handling handling() {
        return handling;
    }

    /** Sets the options that the declaration names, and no others. */
    public void applyOptions(ListenerOptions.Builder builder) {
        options.accept(builder);
    }

    /** Whether it starts with the application; null leaves that to the application. */
    public @Nullable Boolean autoStartup() {
        return autoStartup;
    }

    /** The name of the container factory; empty for the default one. */
    public String containerFactory() {
        return containerFactory;
    }

    Origin origin() {
        return origin;
    }

    @Override
    public String toString() {
        return "listener '" + id + "' of topic '" + topic + "' by " + origin.describe();
    }

    /** Collects what makes a listener. Not thread-safe. */
    public static final class Builder {

        private final String topic;
        private String id = "";
        private @Nullable Handling handling;
        private Consumer<ListenerOptions.Builder> options = builder -> {};
        private @Nullable Boolean autoStartup;
        private String containerFactory = "";
        private @Nullable Origin origin;

        private Builder(String topic) {
            this.topic = Objects.requireNonNull(topic, "topic");
        }

        /** The id, unique in the application; needed. */
        public Builder id(String id) {
            this.id = Objects.requireNonNull(id, "id");
            return this;
        }

        /** Handles messages one by one: each call gets one delivery, its payload converted to the type. */
        public Builder handler(Type payloadType, DeliveryHandler handler) {
            return handling(new Handling.OfMessages(payloadType, false, handler));
        }

        /** Handles messages in batches: each call gets up to the batch size, 100 unless it is set. */
        public Builder batchHandler(Type payloadType, DeliveryHandler handler) {
            return handling(new Handling.OfMessages(payloadType, true, handler));
        }

        /** Handles the topic's deaths. */
        public Builder deadLetterHandler(DeadLetterHandler handler) {
            return handling(new Handling.OfDeaths(handler));
        }

        Builder handling(Handling handling) {
            this.handling = handling;
            return this;
        }

        /** Sets options; those that it leaves alone come from the properties. */
        public Builder options(Consumer<ListenerOptions.Builder> options) {
            this.options = Objects.requireNonNull(options, "options");
            return this;
        }

        /** Whether it starts with the application; by default the application's choice. */
        public Builder autoStartup(@Nullable Boolean autoStartup) {
            this.autoStartup = autoStartup;
            return this;
        }

        /** The name of a {@link DelayListenerContainerFactory} bean. */
        public Builder containerFactory(String beanName) {
            this.containerFactory = Objects.requireNonNull(beanName, "beanName");
            return this;
        }

        Builder origin(Origin origin) {
            this.origin = origin;
            return this;
        }

        /**
         * Builds the endpoint. Topic and options are checked when it is registered.
         *
         * @throws IllegalStateException if the id or the handler is missing
         */
        public DelayListenerEndpoint build() {
            if (id.isBlank()) {
                throw new IllegalStateException("A listener of topic '" + topic + "' has no id");
            }
            if (handling == null) {
                throw new IllegalStateException("The listener '" + id + "' has no handler");
            }
            return new DelayListenerEndpoint(this, handling);
        }
    }
}
