package io.delayqueue.metrics.observation;

import static io.delayqueue.metrics.observation.DelayQueueObservation.PROCESS;

import io.delayqueue.Internal;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.Completions;
import io.delayqueue.metrics.observation.GuardedObservation.OpenScope;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Observes each call of a handler until the handler's future completes. The handler method runs in the observation's
 * scope; an asynchronous handler's other threads do not. Thread-safe.
 */
@Internal
public final class DeliveryObserver implements DeliveryInterceptor {

    private static final DelayQueueProcessObservationConvention BUILT_IN =
            new DelayQueueProcessObservationConvention() {};

    private final ObservationRegistry registry;
    private final @Nullable DelayQueueProcessObservationConvention convention;
    private final boolean link;

    /**
     * Creates the observer.
     *
     * @param convention replaces the default convention unless null
     * @param link whether handling starts a new trace, linked to the sender's span, instead of continuing the sender's
     *     trace
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
        GuardedObservation observation = GuardedObservation.start(
                registry, () -> PROCESS.observation(convention, BUILT_IN, () -> context, registry));
        CompletionStage<?> handled;
        try (OpenScope scope = observation.open()) {
            handled = Objects.requireNonNull(next.proceed(), "An interceptor returned no stage");
        } catch (Throwable e) { // any failure ends the handling
            end(observation, context, e);
            throw e;
        }
        CompletableFuture<Object> ended = new CompletableFuture<>();
        // not a dependent stage: it calls toString() of the failure, which may throw
        handled.handle((nothing, failure) -> {
            end(observation, context, failure);
            return failure == null ? ended.complete(nothing) : ended.completeExceptionally(failure);
        });
        return ended;
    }

    private static void end(
            GuardedObservation observation, DelayQueueProcessContext context, @Nullable Throwable thrown) {
        Throwable failure = thrown == null ? null : Completions.cause(thrown);
        context.setOutcome(outcome(context.deliveries(), failure));
        observation.end(failure);
    }

    private static String outcome(List<Delivery> deliveries, @Nullable Throwable failure) {
        if (failure == null) {
            return deliveries.stream().allMatch(Delivery::postponed) ? "postponed" : "success";
        }
        return failure instanceof BatchFailureException batch && !batch.namesNone() ? "partial" : "failure";
    }
}
