package io.delayqueue.annotation;

import io.delayqueue.listener.BatchHandler;
import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.PayloadHandler;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import java.lang.reflect.Type;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.Assert;

/**
 * The declaration of a listener, by an annotation or by code. Immutable.
 *
 * <pre>{@code
 * DelayListenerEndpoint.to("order-cancel").id("cancel").handler(CancelOrder.class, (order, delivery) -> { … })
 *         .options(options -> options.concurrency(4)).build()
 * }</pre>
 */
public final class DelayListenerEndpoint {

    private final String id;
    private final String topic;
    private final Handling handling;
    private final Consumer<ListenerOptions.Builder> options;
    private final @Nullable Cron cron;
    private final @Nullable Boolean autoStartup;
    private final String containerFactory;
    private final Origin origin;

    private record Cron(String expression, ZoneId zone) {}

    private DelayListenerEndpoint(Builder builder, Handling handling) {
        this.id = builder.id;
        this.topic = builder.topic;
        this.handling = handling;
        this.options = builder.options;
        this.cron = builder.cron;
        this.autoStartup = builder.autoStartup;
        this.containerFactory = builder.containerFactory;
        this.origin = builder.origin == null ? new Origin(builder.id, "") : builder.origin;
    }

    /** Whether the listener handles messages or dead letters, and the handler. */
    public sealed interface Handling {

        /**
         * Handles messages of the topic.
         *
         * @param payloadType the type to which payloads are converted; {@code byte[]} leaves them unchanged
         * @param batch whether a call takes several messages
         * @param handler the handler
         */
        record OfMessages(Type payloadType, boolean batch, DeliveryHandler handler) implements Handling {}

        /**
         * Handles dead letters of the topic.
         *
         * @param handler the handler
         */
        record OfDeadLetters(DeadLetterHandler handler) implements Handling {}
    }

    /** Creates a builder for a listener of a topic. */
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

    /** What the listener handles, and the handler. */
    public Handling handling() {
        return handling;
    }

    /** Sets the options of the declaration and leaves others unchanged. */
    void applyOptions(ListenerOptions.Builder builder) {
        options.accept(builder);
    }

    /**
     * The schedule of the listener, with its id and an empty payload; null if it has none.
     *
     * @throws IllegalArgumentException if the expression or the id is invalid
     */
    @Nullable
    Schedule schedule() {
        return cron == null
                ? null
                : Schedule.of(topic, id).cron(cron.expression(), cron.zone()).payload(new byte[0]);
    }

    /** Whether the listener starts with the application; null for the application's default. */
    public @Nullable Boolean autoStartup() {
        return autoStartup;
    }

    /** The name of the container factory's bean; empty for the default one. */
    public String containerFactory() {
        return containerFactory;
    }

    Origin origin() {
        return origin;
    }

    @Override
    public String toString() {
        return "listener '" + Printable.of(id) + "' of topic '" + Printable.of(topic) + "' by " + origin.describe();
    }

    /** Builds an endpoint. Not thread-safe. */
    public static final class Builder {

        private final String topic;
        private String id = "";
        private @Nullable Handling handling;
        private Consumer<ListenerOptions.Builder> options = builder -> {};
        private @Nullable Cron cron;
        private @Nullable Boolean autoStartup;
        private String containerFactory = "";
        private @Nullable Origin origin;

        private Builder(String topic) {
            Assert.notNull(topic, "'topic' must not be null");
            this.topic = topic;
        }

        /** Sets the id, unique in the application. Required. */
        public Builder id(String id) {
            Assert.notNull(id, "'id' must not be null");
            this.id = id;
            return this;
        }

        /** Handles messages one by one: each call gets a payload of the given type and its delivery. */
        public <T> Builder handler(Class<T> payloadType, PayloadHandler<? super T> handler) {
            return single(payloadType, handler);
        }

        /**
         * Handles messages one by one, with payloads of a generic type.
         *
         * @param payloadType such as {@code new ParameterizedTypeReference<List<Event>>() {}}
         */
        public <T> Builder handler(ParameterizedTypeReference<T> payloadType, PayloadHandler<? super T> handler) {
            Assert.notNull(payloadType, "'payloadType' must not be null");
            return single(payloadType.getType(), handler);
        }

        @SuppressWarnings("unchecked") // the engine converts to this type
        private <T> Builder single(Type payloadType, PayloadHandler<T> handler) {
            Assert.notNull(handler, "'handler' must not be null");
            return messages(payloadType, false, deliveries -> {
                handler.handle((T) deliveries.get(0).payload(), deliveries.get(0));
                return null;
            });
        }

        /**
         * Handles messages one by one and asynchronously. A message is handled when the stage completes; the concurrency
         * permit is held until then.
         */
        public Builder asyncHandler(
                Type payloadType, Function<? super Delivery, ? extends CompletionStage<?>> handler) {
            Assert.notNull(handler, "'handler' must not be null");
            return messages(payloadType, false, deliveries -> handler.apply(deliveries.get(0)));
        }

        /** Handles messages in batches: each call gets up to the batch size, with Spring Boot 100 by default. */
        public Builder batchHandler(Type payloadType, BatchHandler handler) {
            Assert.notNull(handler, "'handler' must not be null");
            return messages(payloadType, true, deliveries -> {
                handler.handle(deliveries);
                return null;
            });
        }

        /**
         * Handles messages in batches and asynchronously. A batch is handled when the stage completes; the concurrency permit
         * is held until then.
         */
        public Builder asyncBatchHandler(
                Type payloadType, Function<? super List<Delivery>, ? extends CompletionStage<?>> handler) {
            Assert.notNull(handler, "'handler' must not be null");
            return messages(payloadType, true, handler::apply);
        }

        private Builder messages(Type payloadType, boolean batch, DeliveryHandler handler) {
            Assert.notNull(payloadType, "'payloadType' must not be null");
            return handling(new Handling.OfMessages(payloadType, batch, handler));
        }

        /** Handles the topic's dead letters. */
        public Builder deadLetterHandler(DeadLetterHandler handler) {
            Assert.notNull(handler, "'handler' must not be null");
            return handling(new Handling.OfDeadLetters(handler));
        }

        Builder handling(Handling handling) {
            this.handling = handling;
            return this;
        }

        /** Sets options. Other options come from the properties. */
        public Builder options(Consumer<ListenerOptions.Builder> options) {
            Assert.notNull(options, "'options' must not be null");
            this.options = options;
            return this;
        }

        /**
         * Calls the handler at the times of a cron expression, as {@link DelayListener#cron()} does. The handler must take
         * {@code byte[]} as its payload, which is empty.
         */
        public Builder cron(String expression, ZoneId zone) {
            Assert.notNull(expression, "'expression' must not be null");
            Assert.notNull(zone, "'zone' must not be null");
            this.cron = new Cron(expression, zone);
            return this;
        }

        /** Sets whether the listener starts with the application; null, the default, is the application's default. */
        public Builder autoStartup(@Nullable Boolean autoStartup) {
            this.autoStartup = autoStartup;
            return this;
        }

        /** Sets the name of a {@link DelayListenerContainerFactory} bean; the auto-configured bean by default. */
        public Builder containerFactory(String beanName) {
            Assert.notNull(beanName, "'beanName' must not be null");
            this.containerFactory = beanName;
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
                throw new IllegalStateException("A listener of topic '" + Printable.of(topic) + "' has no id");
            }
            if (handling == null) {
                throw new IllegalStateException("The listener '" + Printable.of(id) + "' has no handler");
            }
            return new DelayListenerEndpoint(this, handling);
        }
    }
}
