package io.delayqueue.store;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Printable;
import io.delayqueue.store.PollReply.DeadLettered;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Publishes the effects of polls as events, and logs those that concern a listener. */
final class PollEvents {

    private static final Log log = LogFactory.getLog(PollEvents.class);

    private final EventBus events;
    private final Recipient recipient;
    private final boolean logs;
    private final String ofTopic;

    PollEvents(EventBus events, Recipient recipient) {
        this.events = events;
        this.recipient = recipient;
        this.logs = recipient.listener() != null;
        this.ofTopic = " of topic " + Printable.of(recipient.topic());
    }

    /** Publishes the effects that the reply to a poll reports. */
    void publish(List<Settlement> settlements, Set<Object> rejected, PollReply reply) {
        Instant now = Instant.EPOCH.plusNanos(reply.nowMicros() * 1000);
        Set<String> dead = ids(reply.deadLettered());
        Set<String> settled = new HashSet<>();
        for (Settlement settlement : settlements) {
            Settle settle = settlement.settle();
            if (settle instanceof Settle.Extend) {
                continue;
            }
            if (rejected.contains(settle)) {
                rejected(settlement, settle, now);
            } else {
                accepted(settlement, settle, dead, now);
            }
            if (settle instanceof Settle.ToDeadLetters
                    || (settle instanceof Settle.Retry retry && retry.ifAttemptsLeft())) {
                settled.add(settle.id());
            }
        }
        reply.reclaimed().forEach(id -> events.publish(to -> to.reclaimed(recipient, id)));
        // dead letters by settlement were published above; the reply to a repeated poll does not report them again
        reply.deadLettered().stream()
                .filter(deadLettered -> !settled.contains(deadLettered.id()))
                .forEach(this::deadLetteredUnsettled);
    }

    private static Set<String> ids(List<DeadLettered> deadLettered) {
        Set<String> ids = new HashSet<>();
        deadLettered.forEach(each -> ids.add(each.id()));
        return ids;
    }

    private static @Nullable Duration handling(Settlement settlement, Instant now) {
        Settlement.Attempt delivery = settlement.delivery();
        return delivery == null ? null : delivery.handling(settlement.givenAt(), now);
    }

    private void rejected(Settlement settlement, Settle settle, Instant now) {
        String id = settle.id();
        if (settle instanceof Settle.Release) {
            log.debug("Message " + Printable.of(id) + ofTopic + " was no longer leased when it was released");
            return;
        }
        Settlement.Attempt delivery = settlement.delivery();
        if (logs && delivery != null) {
            log.warn("Attempt " + delivery.attempt() + " at message " + Printable.of(id) + ofTopic
                    + " ended after its lease was lost; its settlement changed nothing");
        }
        Duration handling = handling(settlement, now);
        events.publish(to -> to.settlementRejected(recipient, id, handling));
    }

    /** Publishes that a settlement changed nothing, because the topic is no longer registered. */
    void unregistered(Settlement settlement) {
        Settle settle = settlement.settle();
        if (!(settle instanceof Settle.Release || settle instanceof Settle.Extend)) {
            events.publish(to -> to.settlementRejected(recipient, settle.id(), null));
        }
    }

    private void accepted(Settlement settlement, Settle settle, Set<String> dead, Instant now) {
        String id = settle.id();
        Settlement.Attempt delivery = settlement.delivery();
        Duration handling = handling(settlement, now);
        if (settle instanceof Settle.Release) {
            events.publish(to -> to.released(recipient, id));
        } else if (settle instanceof Settle.ToDeadLetters deadLetter) {
            deadLettered(settlement, deadLetter, handling);
        } else if (settle instanceof Settle.Retry retry && retry.ifAttemptsLeft() && dead.contains(id)) {
            events.publish(to -> to.deadLettered(recipient, id, DeadLetterCause.ATTEMPTS_SPENT, handling));
        } else if (delivery != null && handling != null && settle instanceof Settle.Retry retry) {
            events.publish(to -> to.retried(recipient, id, delivery.attempt(), handling, retry.delay()));
        } else if (delivery != null && handling != null) {
            Duration sinceSent = Duration.between(delivery.sentAt(), now);
            events.publish(to -> to.acknowledged(
                    recipient, id, delivery.attempt(), handling, sinceSent.isNegative() ? Duration.ZERO : sinceSent));
        }
    }

    private void deadLettered(Settlement settlement, Settle.ToDeadLetters deadLetter, @Nullable Duration handling) {
        if (recipient.takesMessages()) {
            events.publish(to -> to.deadLettered(recipient, deadLetter.id(), deadLetter.cause(), handling));
        } else {
            Throwable failure = settlement.failure() != null
                    ? settlement.failure()
                    : new IllegalStateException("The listener dead-lettered the notification: "
                            + deadLetter.failure().message());
            events.publish(to -> to.notificationDropped(recipient, deadLetter.id(), failure, handling));
        }
    }

    private void deadLetteredUnsettled(DeadLettered deadLettered) {
        String id = deadLettered.id();
        boolean notable =
                deadLettered.cause() == DeadLetterCause.LEASE_OVER || deadLettered.cause() == DeadLetterCause.EXPIRED;
        if (recipient.takesMessages()) {
            if (logs && notable) {
                log.warn("Message " + Printable.of(id) + ofTopic + " was dead-lettered: " + deadLettered.cause());
            }
            events.publish(to -> to.deadLettered(recipient, id, deadLettered.cause(), null));
        } else if (notable) { // drops by the listener were published with their settlements
            log.warn("The notification of dead letter " + Printable.of(id) + ofTopic
                    + " was dropped, because its last attempt was not settled; the dead letter is kept");
            Throwable failure = new IllegalStateException("The last attempt was not settled: " + deadLettered.cause());
            events.publish(to -> to.notificationDropped(recipient, id, failure, null));
        }
    }
}
