package io.delayqueue.metrics.observation;

import static io.delayqueue.metrics.observation.DelayQueueObservation.SEND;

import io.delayqueue.Internal;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.metrics.observation.GuardedObservation.OpenScope;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.SendInterceptor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Observes each send until its result is known. A blocking send runs in the observation's scope; other sends only start
 * in it. Thread-safe.
 */
@Internal
public final class SendObserver implements SendInterceptor {

    private static final DelayQueueSendObservationConvention BUILT_IN = new DelayQueueSendObservationConvention() {};

    /** The observation to which the sends of this thread belong, if it began on another thread. */
    private static final ThreadLocal<Observation> PARENT = new ThreadLocal<>();

    private final ObservationRegistry registry;
    private final @Nullable DelayQueueSendObservationConvention convention;

    /**
     * Creates the observer.
     *
     * @param convention replaces the default convention unless null
     */
    public SendObserver(ObservationRegistry registry, @Nullable DelayQueueSendObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public CompletionStage<SendResult> around(Sending sending, Next next) {
        DelayQueueSendContext context = new DelayQueueSendContext(sending);
        GuardedObservation observation = GuardedObservation.start(registry, () -> observation(context));
        CompletionStage<SendResult> sent;
        try (OpenScope scope = observation.open()) {
            sent = next.proceed();
        } catch (RuntimeException | Error e) {
            observation.end(e);
            throw e;
        }
        return sent.whenComplete((result, failure) -> {
            context.setResult(result);
            observation.end(result == null ? failure : error(result));
        });
    }

    /** Returns an executor whose tasks send messages as a part of the current observation of this thread. */
    public Executor within(Executor executor) {
        Observation current = registry.getCurrentObservation();
        if (current == null) {
            return executor;
        }
        // no scope: the observation may be in scope on this thread at the same time
        return task -> executor.execute(() -> {
            PARENT.set(current);
            try {
                task.run();
            } finally {
                PARENT.remove();
            }
        });
    }

    private Observation observation(DelayQueueSendContext context) {
        Observation observation = SEND.observation(convention, BUILT_IN, () -> context, registry);
        Observation parent = PARENT.get();
        return parent == null ? observation : observation.parentObservation(parent);
    }

    /** Returns the exception that the send throws. A duplicate is not an error: usually it is expected. */
    private static @Nullable Throwable error(SendResult result) {
        return result instanceof Failed failed && !(failed instanceof Duplicate)
                ? DelayQueueException.of(failed)
                : null;
    }
}
