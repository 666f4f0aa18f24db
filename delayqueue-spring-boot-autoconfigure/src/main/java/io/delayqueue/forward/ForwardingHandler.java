package io.delayqueue.forward;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Handles deliveries by forwarding each: done when the broker has confirmed it. Thread-safe. */
public final class ForwardingHandler implements DeliveryHandler {

    private final Route route;
    private final Forwarder forwarder;
    private final List<ForwardMapper> mappers;
    private final SendDeadlines deadlines;

    /** By a route. */
    public ForwardingHandler(Route route, Forwarder forwarder, List<ForwardMapper> mappers, SendDeadlines deadlines) {
        this.route = route;
        this.forwarder = forwarder;
        this.mappers = List.copyOf(mappers);
        this.deadlines = deadlines;
    }

    @Override
    public CompletionStage<?> handle(List<Delivery> deliveries) {
        ForwardedMessage message = map(deliveries.get(0));
        SendDeadlines.Watch watch = deadlines.watch(route.sendTimeout(), () -> late(message));
        try {
            CompletableFuture<?> sent = forwarder.forward(message).toCompletableFuture();
            CompletionStage<?> unused = sent.whenComplete(
                    (nothing, failure) -> watch.end(failure == null ? null : failed(message, failure)));
            unused = watch.result().whenComplete((nothing, failure) -> sent.cancel(false));
        } catch (Exception | Error e) {
            watch.end(failed(message, e));
        } finally {
            watch.senderIsBack();
        }
        return watch.result();
    }

    private ForwardedMessage map(Delivery delivery) {
        ForwardedMessage message = StandardMapping.map(delivery, route);
        for (ForwardMapper mapper : mappers) {
            message = Objects.requireNonNull(mapper.map(message, delivery, route), "A ForwardMapper returned nothing");
        }
        return message;
    }

    private ForwardException late(ForwardedMessage message) {
        return new ForwardException(where(message) + " was not confirmed within " + route.sendTimeout()
                + "; it may have arrived all the same");
    }

    private ForwardException failed(ForwardedMessage message, Throwable thrown) {
        Throwable failure = unwrap(thrown);
        Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
        String why = root instanceof ForwardException ? String.valueOf(root.getMessage()) : root.toString();
        return new ForwardException(where(message) + " failed: " + why, failure);
    }

    private String where(ForwardedMessage message) {
        return "Forwarding to '" + message.destination() + "' by " + route.to();
    }

    private static Throwable unwrap(Throwable thrown) {
        Throwable failure = thrown;
        while (failure instanceof CompletionException || failure instanceof ExecutionException) {
            @Nullable Throwable cause = failure.getCause();
            if (cause == null) {
                return failure;
            }
            failure = cause;
        }
        return failure;
    }
}
