package io.delayqueue.metrics.observation;

import io.delayqueue.message.SendResult;
import io.delayqueue.metrics.observation.DelayQueueObservation.MessageKeys;
import io.delayqueue.metrics.observation.DelayQueueObservation.SendKeys;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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
                SendKeys.OUTCOME.withValue(outcome(context.result())),
                SendKeys.EXCEPTION.withValue(DelayQueueObservation.exception(context.getError())));
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(DelayQueueSendContext context) {
        return KeyValues.of(MessageKeys.ID.withValue(context.sending().id()));
    }

    /** The keys' values are the names of the results. */
    private static String outcome(@Nullable SendResult result) {
        return result == null
                ? KeyValue.NONE_VALUE
                : result.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
