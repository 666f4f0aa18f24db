package io.delayqueue.metrics.observation;

import io.delayqueue.Internal;
import io.delayqueue.listener.Delivery;
import io.delayqueue.template.receive.LeasedDelivery;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry's semantic conventions for messaging spans and their metrics. Keys that they do not define start with
 * {@code messaging.delayqueue}. Sends and receive calls are one timer there, so they have the same low-cardinality
 * keys. The value of a key that does not apply is "none", as in Spring's conventions for OpenTelemetry. The names of
 * spans are those of the default conventions. Thread-safe.
 */
@Internal
public final class OpenTelemetryConventions {

    private static final String CLIENT_OPERATION = "messaging.client.operation.duration";

    /** Names sends. */
    public static final DelayQueueSendObservationConvention SEND = new DelayQueueSendObservationConvention() {

        @Override
        public String getName() {
            return CLIENT_OPERATION;
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(DelayQueueSendContext context) {
            return operation(
                    "send",
                    context.sending().topic(),
                    DelayQueueObservation.outcome(context.result()),
                    context.getError());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(DelayQueueSendContext context) {
            return KeyValues.of("messaging.message.id", context.sending().id());
        }
    };

    /** Names receive calls. */
    public static final DelayQueueReceiveObservationConvention RECEIVE = new DelayQueueReceiveObservationConvention() {

        @Override
        public String getName() {
            return CLIENT_OPERATION;
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(DelayQueueReceiveContext context) {
            return operation("receive", context.topic(), context.outcome(), context.getError());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(DelayQueueReceiveContext context) {
            if (context.outcome() == null) {
                return KeyValues.empty();
            }
            List<LeasedDelivery> deliveries = context.deliveries();
            if (deliveries.size() != 1) {
                return count(deliveries.size());
            }
            LeasedDelivery delivery = deliveries.get(0);
            return message(delivery.id(), delivery.attempt());
        }
    };

    /** Names handling. */
    public static final DelayQueueProcessObservationConvention PROCESS = new DelayQueueProcessObservationConvention() {

        @Override
        public String getName() {
            return "messaging.process.duration";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(DelayQueueProcessContext context) {
            return operation("process", context.topic(), context.outcome(), context.getError())
                    .and("messaging.delayqueue.listener", context.listener());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(DelayQueueProcessContext context) {
            List<Delivery> deliveries = context.deliveries();
            if (deliveries.size() > 1) {
                return count(deliveries.size());
            }
            Delivery delivery = deliveries.get(0);
            return message(delivery.id(), delivery.attempt());
        }
    };

    private OpenTelemetryConventions() {}

    /** Creates the low-cardinality keys. The name of each operation is also its type. */
    private static KeyValues operation(
            String name, @Nullable String topic, @Nullable String outcome, @Nullable Throwable error) {
        return KeyValues.of(
                KeyValue.of("messaging.system", "delayqueue"),
                KeyValue.of("messaging.operation.name", name),
                KeyValue.of("messaging.operation.type", name),
                KeyValue.of("messaging.destination.name", Objects.requireNonNullElse(topic, KeyValue.NONE_VALUE)),
                KeyValue.of("messaging.delayqueue.outcome", Objects.requireNonNullElse(outcome, KeyValue.NONE_VALUE)),
                KeyValue.of(
                        "error.type",
                        error == null ? KeyValue.NONE_VALUE : error.getClass().getName()));
    }

    private static KeyValues message(String id, int attempt) {
        return KeyValues.of("messaging.message.id", id, "messaging.delayqueue.attempt", Integer.toString(attempt));
    }

    private static KeyValues count(int messages) {
        return KeyValues.of("messaging.batch.message_count", Integer.toString(messages));
    }
}
