package io.delayqueue.jdbc.once;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.jdbc.once.HandledMessages.Keyed;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls a synchronous handler for the messages that are not yet handled. If the insert finds a row, the transaction is
 * rolled back before the handler was called, and the remaining messages are tried without the handled ones. So no
 * statement follows a failed one in a transaction, which some databases do not permit. Thread-safe.
 */
final class OnceHandler implements DeliveryHandler {

    private static final Log log = LogFactory.getLog(OnceHandler.class);

    private final String listener;
    private final OnceTransaction transaction;
    private final DeliveryHandler handler;
    private final EventBus events;

    OnceHandler(String listener, OnceTransaction transaction, DeliveryHandler handler, EventBus events) {
        this.listener = listener;
        this.transaction = transaction;
        this.handler = handler;
        this.events = events;
    }

    @Override
    public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Exception {
        List<Keyed> open = deliveries.stream().map(Keyed::of).toList();
        boolean suppressed = false;
        while (!open.isEmpty()) {
            List<Keyed> attempted = open;
            try {
                transaction.run(attempted, () -> call(attempted));
                return null;
            } catch (OnceTransaction.AlreadyHandledException e) {
                suppressed = true;
                open = open.stream()
                        .filter(message -> !e.keys().contains(message.key()))
                        .toList();
                attempted.stream()
                        .filter(message -> e.keys().contains(message.key()))
                        .forEach(this::suppressed);
            } catch (Exception | Error e) {
                if (suppressed || e instanceof BatchFailureException) {
                    throw failureOf(attempted, e);
                }
                throw e;
            }
        }
        return null;
    }

    private void call(List<Keyed> messages) throws Exception {
        List<Delivery> guarded = messages.stream()
                .<Delivery>map(message -> new OnceDelivery(message.delivery()))
                .toList();
        if (handler.handle(guarded) != null) {
            throw new IllegalStateException("The handler of listener " + Printable.of(listener)
                    + " is asynchronous: it would end after the transaction");
        }
    }

    private void suppressed(Keyed message) {
        Delivery delivery = message.delivery();
        Recipient recipient = new Recipient(delivery.topic(), QueueKind.MESSAGES, listener);
        events.publish(to -> to.duplicateSuppressed(recipient, delivery.id()));
        if (log.isDebugEnabled()) {
            log.debug("Message " + Printable.of(delivery.id()) + " of topic " + Printable.of(delivery.topic())
                    + " is already handled: listener " + Printable.of(listener) + " acknowledges it without a call");
        }
    }

    /** The failure of each message of a transaction that was rolled back. Handled messages are not named. */
    private static BatchFailureException failureOf(List<Keyed> open, Throwable failure) {
        BatchFailureException whole = new BatchFailureException("The transaction was rolled back");
        BatchFailureException named =
                failure instanceof BatchFailureException batch && !batch.namesNone() ? batch : null;
        for (Keyed message : open) {
            Throwable own = named == null ? failure : named.failureOf(message.delivery());
            whole.failed(message.delivery().id(), own != null ? own : rolledBackWith(open, named));
        }
        return whole;
    }

    private static IllegalStateException rolledBackWith(List<Keyed> open, @Nullable BatchFailureException named) {
        return new IllegalStateException(open.stream()
                .map(Keyed::delivery)
                .filter(delivery -> named != null && named.failureOf(delivery) != null)
                .findFirst()
                .map(delivery ->
                        "Rolled back with its batch, because message " + Printable.of(delivery.id()) + " failed")
                .orElse("Rolled back with its batch"));
    }
}
