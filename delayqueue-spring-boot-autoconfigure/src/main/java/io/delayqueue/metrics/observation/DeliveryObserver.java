package io.delayqueue.metrics.observation;

import static io.delayqueue.metrics.observation.DelayQueueObservation.PROCESS;

import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call of a handler until the handler's future has ended. The handler starts in the observation's scope; the
 * scope ends on the same thread, when the handler has returned. Thread-safe.
 */
public final class DeliveryObserver implements DeliveryInterceptor {

    private static final DelayQueueProcessObservationConvention BUILT_IN =
            new DelayQueueProcessObservationConvention() {};

    private final ObservationRegistry registry;
    private final @Nullable DelayQueueProcessObservationConvention convention;
    private final boolean link;

    /**
     * Into a registry.
     *
     * @param convention instead of the built-in one
     * @param link whether handling begins a trace of its own, linked to the sender's, instead of going on with that one
     */
    public DeliveryObserver(
            ObservationRegistry registry, @Nullable DelayQueueProcessObservationConvention convention, boolean link) {
        this.registry = registry;
        this.convention = convention;
        this.link = link;
    }

    @Override
    public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
        DelayQueueProcessContext context = new DelayQueueProcessContext(listener, deliveries, link);
        Watch watch = Watch.start(() -> PROCESS.observation(convention, BUILT_IN, () -> context, registry));
        CompletionStage<?> handled;
        try (Scope scope = watch.open()) {
            handled = Objects.requireNonNull(next.proceed(), "An interceptor returned no stage");
        } catch (Throwable e) { // whatever it is, the handling is over
            end(watch, context, e);
            throw e;
        }
        return handled.whenComplete((nothing, failure) -> end(watch, context, failure));
    }

    private static void end(Watch watch, DelayQueueProcessContext context, @Nullable Throwable thrown) {
        Throwable failure = thrown;
        while (failure instanceof CompletionException && failure.getCause() != null) {
            failure = failure.getCause();
        }
        context.setOutcome(outcome(failure));
        watch.end(failure);
    }

    private static String outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return "success";
        }
        return failure instanceof BatchFailureException batch && !batch.namesNone() ? "partial" : "failure";
    }
}
