package io.delayqueue.forward;

import io.delayqueue.Internal;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Failure;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Forwards deliveries. A delivery is handled when the broker has confirmed its message. If the broker is unavailable, it
 * fails with a {@link DependencyUnavailableException}; if the broker rejected the message, with a {@link
 * ForwardException}. Thread-safe.
 */
@Internal
public final class ForwardingHandler {

    private static final int MAX_CAUSES = 50;

    /** Common failures of connections, and what brokers throw themselves. */
    private static final List<Class<? extends Throwable>> UNAVAILABLE = List.of(
            DependencyUnavailableException.class,
            SocketException.class,
            SocketTimeoutException.class,
            UnknownHostException.class,
            ClosedChannelException.class,
            SSLException.class,
            TimeoutException.class);

    private final Route route;
    private final Broker broker;
    private final Forwarder forwarder;
    private final List<ForwardMapper> mappers;
    private final SendDeadlines deadlines;

    /**
     * Creates a handler of a route. Does not connect to the broker.
     *
     * @throws io.delayqueue.message.InvalidOptionException if the route is invalid for the broker
     */
    public ForwardingHandler(Route route, Broker broker, List<ForwardMapper> mappers, SendDeadlines deadlines) {
        this.route = route;
        this.broker = broker;
        this.forwarder = broker.open(route);
        this.mappers = List.copyOf(mappers);
        this.deadlines = deadlines;
    }

    /** Forwards a delivery. The stage completes when the broker has confirmed the message. */
    public CompletionStage<?> handle(Delivery delivery) {
        ForwardedMessage message = map(delivery);
        SendDeadlines.PendingSend send = deadlines.register(route.sendTimeout(), () -> timedOut(message));
        try {
            CompletableFuture<?> sent = forwarder.forward(message).toCompletableFuture();
            // handle() instead of whenComplete(): a dependent that fails as well would call the exception's toString(),
            // which may throw an exception
            sent.handle((nothing, failure) -> {
                send.complete(failure == null ? null : failed(message, failure));
                return null;
            });
            send.result().whenComplete((nothing, failure) -> sent.cancel(false));
        } catch (Throwable e) {
            send.complete(failed(message, e));
        } finally {
            send.callReturned();
        }
        return send.result();
    }

    private ForwardedMessage map(Delivery delivery) {
        ForwardedMessage message = StandardMapping.map(delivery, route);
        for (ForwardMapper mapper : mappers) {
            message = Objects.requireNonNull(mapper.map(message, delivery, route), "A ForwardMapper returned null");
        }
        return message;
    }

    private DependencyUnavailableException timedOut(ForwardedMessage message) {
        return new DependencyUnavailableException(where(message) + " was not confirmed within "
                + DurationText.of(route.sendTimeout()) + "; it may have arrived all the same");
    }

    private RuntimeException failed(ForwardedMessage message, Throwable thrown) {
        Throwable failure = Completions.cause(thrown);
        Throwable root = failure;
        Throwable cause = Failure.causeOf(failure);
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            root = cause;
            cause = Failure.causeOf(cause);
        }
        Failure text = Failure.of(root);
        boolean own = root instanceof ForwardException || root instanceof DependencyUnavailableException;
        String sentence = where(message) + " failed: " + (own ? text.message() : text.summary());
        return Failure.hasCause(failure, UNAVAILABLE) || broker.isUnavailable(failure)
                ? new DependencyUnavailableException(sentence, failure)
                : new ForwardException(sentence, failure);
    }

    private String where(ForwardedMessage message) {
        return "Forwarding to '" + message.destination() + "' by " + route.to();
    }
}
