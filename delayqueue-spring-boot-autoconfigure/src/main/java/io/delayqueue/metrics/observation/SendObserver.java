package io.delayqueue.metrics.observation;

import static io.delayqueue.metrics.observation.DelayQueueObservation.SEND;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Refused;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.template.MessageRefusedException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.template.SendInterceptor;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Observes each send until it is known what became of the message. The beginning of the send, and all of a blocking one,
 * runs in the observation's scope. Thread-safe.
 */
public final class SendObserver implements SendInterceptor {

    private static final DelayQueueSendObservationConvention BUILT_IN = new DelayQueueSendObservationConvention() {};

    private final ObservationRegistry registry;
    private final @Nullable DelayQueueSendObservationConvention convention;

    /**
     * Into a registry.
     *
     * @param convention instead of the built-in one
     */
    public SendObserver(ObservationRegistry registry, @Nullable DelayQueueSendObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public CompletionStage<SendResult> around(Sending sending, Next next) {
        DelayQueueSendContext context = new DelayQueueSendContext(sending);
        Watch watch = Watch.start(() -> SEND.observation(convention, BUILT_IN, () -> context, registry));
        CompletionStage<SendResult> sent;
        try (Scope scope = watch.open()) {
            sent = next.proceed();
        } catch (RuntimeException | Error e) {
            watch.end(e);
            throw e;
        }
        return sent.whenComplete((result, failure) -> {
            context.setResult(result);
            watch.end(result == null ? failure : error(result));
        });
    }

    /** What the sender gets thrown, but for a duplicate, which as a rule is what was wanted. */
    private static @Nullable Throwable error(SendResult result) {
        if (result instanceof Refused refused) {
            return new MessageRefusedException(refused.topic(), refused.id(), refused.reason(), refused.cause());
        }
        return result instanceof Unknown unknown
                ? new OutcomeUnknownException(unknown.message(), unknown.cause())
                : null;
    }
}
