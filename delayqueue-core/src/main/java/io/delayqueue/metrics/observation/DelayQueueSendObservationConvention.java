package io.delayqueue.metrics.observation;

import io.delayqueue.metrics.observation.DelayQueueObservation.MessageKeys;
import io.delayqueue.metrics.observation.DelayQueueObservation.SendKeys;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and describes the observation of a send. A bean of this type replaces the default convention; implementations
 * override the methods to change. Implementations must be thread-safe.
 */
public interface DelayQueueSendObservationConvention extends ObservationConvention<DelayQueueSendContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof DelayQueueSendContext;
    }

    @Override
    default String getName() {
        return "delayqueue.send";
    }

    @Override
    default String getContextualName(DelayQueueSendContext context) {
        return "send " + context.sending().topic();
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(DelayQueueSendContext context) {
        return KeyValues.of(
                SendKeys.TOPIC.withValue(context.sending().topic()),
                SendKeys.OUTCOME.withValue(DelayQueueObservation.outcome(context.result())),
                SendKeys.EXCEPTION.withValue(DelayQueueObservation.exception(context.getError())));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(DelayQueueSendContext context) {
        return KeyValues.of(MessageKeys.ID.withValue(context.sending().id()));
    }
}
