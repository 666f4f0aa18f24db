package io.delayqueue.metrics.observation;

import io.delayqueue.listener.Delivery;
import io.delayqueue.metrics.observation.DelayQueueObservation.MessageKeys;
import io.delayqueue.metrics.observation.DelayQueueObservation.ProcessKeys;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and describes the observation of handling. A bean of this type replaces the default convention; implementations
 * override the methods to change. Implementations must be thread-safe.
 */
public interface DelayQueueProcessObservationConvention extends ObservationConvention<DelayQueueProcessContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof DelayQueueProcessContext;
    }

    @Override
    default String getName() {
        return "delayqueue.process";
    }

    @Override
    default String getContextualName(DelayQueueProcessContext context) {
        return "process " + context.topic();
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(DelayQueueProcessContext context) {
        String outcome = context.outcome();
        return KeyValues.of(
                ProcessKeys.TOPIC.withValue(context.topic()),
                ProcessKeys.LISTENER.withValue(context.listener()),
                ProcessKeys.OUTCOME.withValue(outcome == null ? KeyValue.NONE_VALUE : outcome),
                ProcessKeys.EXCEPTION.withValue(DelayQueueObservation.exception(context.getError())));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(DelayQueueProcessContext context) {
        int size = context.deliveries().size();
        if (size > 1) {
            return KeyValues.of(MessageKeys.BATCH_SIZE.withValue(Integer.toString(size)));
        }
        Delivery delivery = context.deliveries().get(0);
        return KeyValues.of(
                MessageKeys.ID.withValue(delivery.id()),
                MessageKeys.ATTEMPT.withValue(Integer.toString(delivery.attempt())));
    }
}
