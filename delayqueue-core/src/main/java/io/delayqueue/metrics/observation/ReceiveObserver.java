package io.delayqueue.metrics.observation;

import static io.delayqueue.metrics.observation.DelayQueueObservation.RECEIVE;

import io.delayqueue.Internal;
import io.delayqueue.message.Completions;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * A receiver that observes each receive call until its result is known. Calls with invalid arguments are not observed.
 * Thread-safe.
 */
@Internal
public final class ReceiveObserver implements DelayQueueReceiver {

    private static final DelayQueueReceiveObservationConvention BUILT_IN =
            new DelayQueueReceiveObservationConvention() {};

    private final DelayQueueReceiver receiver;
    private final ObservationRegistry registry;
    private final @Nullable DelayQueueReceiveObservationConvention convention;

    /**
     * Creates the observer.
     *
     * @param receiver receives
     * @param convention replaces the default convention unless null
     */
    public ReceiveObserver(
            DelayQueueReceiver receiver,
            ObservationRegistry registry,
            @Nullable DelayQueueReceiveObservationConvention convention) {
        this.receiver = receiver;
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public List<LeasedDelivery> receive(ReceiveRequest request) {
        Assert.notNull(request, "'request' must not be null");
        Receiving receiving = new Receiving(request.topics());
        try {
            List<LeasedDelivery> deliveries = receiver.receive(request);
            receiving.end(deliveries, null);
            return deliveries;
        } catch (RuntimeException | Error e) {
            receiving.end(null, e);
            throw e;
        }
    }

    @Override
    public CompletableFuture<List<LeasedDelivery>> receiveAsync(ReceiveRequest request) {
        CompletableFuture<List<LeasedDelivery>> future = receiver.receiveAsync(request);
        return observed(future, request.topics());
    }

    /** Returns the same future, because the caller may cancel or complete it. */
    private CompletableFuture<List<LeasedDelivery>> observed(
            CompletableFuture<List<LeasedDelivery>> future, List<String> topics) {
        Completions.whenComplete(future, new Receiving(topics)::end);
        return future;
    }

    /** The observation of a call. */
    private final class Receiving {

        private final DelayQueueReceiveContext context;
        private final GuardedObservation observation;

        Receiving(List<String> topics) {
            this.context = new DelayQueueReceiveContext(topics);
            this.observation = GuardedObservation.start(
                    registry, () -> RECEIVE.observation(convention, BUILT_IN, () -> context, registry));
        }

        void end(@Nullable List<LeasedDelivery> deliveries, @Nullable Throwable failure) {
            if (deliveries != null) {
                context.end(deliveries, deliveries.isEmpty() ? "empty" : "received");
                observation.end(null);
            } else if (failure instanceof CancellationException) {
                context.end(List.of(), "cancelled");
                observation.end(null);
            } else {
                context.end(List.of(), "failure");
                observation.end(failure == null ? null : Completions.cause(failure));
            }
        }
    }
}
