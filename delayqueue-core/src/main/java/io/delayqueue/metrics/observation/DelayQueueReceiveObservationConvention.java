package io.delayqueue.metrics.observation;

import io.delayqueue.metrics.observation.DelayQueueObservation.MessageKeys;
import io.delayqueue.metrics.observation.DelayQueueObservation.ReceiveKeys;
import io.delayqueue.template.receive.LeasedDelivery;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.List;
import java.util.Objects;

/**
 * Names and describes the observation of a receive call. A bean of this type replaces the default convention;
 * implementations override the methods to change. Implementations must be thread-safe.
 */
public interface DelayQueueReceiveObservationConvention extends ObservationConvention<DelayQueueReceiveContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof DelayQueueReceiveContext;
    }

    @Override
    default String getName() {
        return "delayqueue.receive";
    }

    @Override
    default String getContextualName(DelayQueueReceiveContext context) {
        List<String> topics = context.topics();
        String topic = topics.size() == 1 ? topics.get(0) : context.topic();
        return topic == null ? "receive" : "receive " + topic;
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(DelayQueueReceiveContext context) {
        return KeyValues.of(
                ReceiveKeys.TOPIC.withValue(Objects.requireNonNullElse(context.topic(), KeyValue.NONE_VALUE)),
                ReceiveKeys.OUTCOME.withValue(Objects.requireNonNullElse(context.outcome(), KeyValue.NONE_VALUE)),
                ReceiveKeys.EXCEPTION.withValue(DelayQueueObservation.exception(context.getError())));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(DelayQueueReceiveContext context) {
        if (context.outcome() == null) {
            return KeyValues.empty();
        }
        List<LeasedDelivery> deliveries = context.deliveries();
        if (deliveries.size() != 1) {
            return KeyValues.of(MessageKeys.BATCH_SIZE.withValue(Integer.toString(deliveries.size())));
        }
        LeasedDelivery delivery = deliveries.get(0);
        return KeyValues.of(
                MessageKeys.ID.withValue(delivery.id()),
                MessageKeys.ATTEMPT.withValue(Integer.toString(delivery.attempt())));
    }
}
