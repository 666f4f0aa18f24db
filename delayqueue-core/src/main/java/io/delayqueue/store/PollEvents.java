package io.delayqueue.store;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Printable;
import io.delayqueue.store.PollReply.DeadLettered;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
    void publish(List<PendingSettlement> settlements, Set<Object> rejected, PollReply reply) {
        Instant now = Instant.EPOCH.plusNanos(reply.nowMicros() * 1000);
        Map<String, DeadLetterCause> dead = causes(reply.deadLettered());
        Set<String> settled = new HashSet<>();
        for (PendingSettlement pending : settlements) {
            Settlement settlement = pending.settlement();
            if (settlement instanceof Settlement.Extend) {
                continue;
            }
            if (rejected.contains(settlement)) {
                rejected(pending, settlement, now);
                continue;
            }
            accepted(pending, settlement, dead, now);
            if (settlement instanceof Settlement.ToDeadLetters || mayDeadLetter(settlement)) {
                settled.add(settlement.id());
            }
        }
        reply.reclaimed().forEach(id -> events.publish(to -> to.reclaimed(recipient, id)));
        // dead letters by accepted settlements were published above: if the first execution of a repeated poll stopped
        // midway, the reply omits them
        reply.deadLettered().stream()
                .filter(deadLettered -> !settled.contains(deadLettered.id()))
                .forEach(this::deadLetteredUnsettled);
    }

    private static Map<String, DeadLetterCause> causes(List<DeadLettered> deadLettered) {
        Map<String, DeadLetterCause> causes = new HashMap<>();
        deadLettered.forEach(each -> causes.put(each.id(), each.cause()));
        return causes;
    }

    /** Whether Redis dead-letters the message instead if a limit is reached. */
    private static boolean mayDeadLetter(Settlement settlement) {
        return settlement instanceof Settlement.Postpone
                || (settlement instanceof Settlement.Retry retry && retry.ifAttemptsLeft());
    }

    private static @Nullable Duration handling(PendingSettlement pending, Instant now) {
        PendingSettlement.DeliveryDetails delivery = pending.delivery();
        return delivery == null ? null : delivery.handling(pending.givenAt(), now);
    }

    private void rejected(PendingSettlement pending, Settlement settlement, Instant now) {
        String id = settlement.id();
        if (settlement instanceof Settlement.Release) {
            log.debug("Message " + Printable.of(id) + ofTopic + " was no longer leased when it was released");
            return;
        }
        PendingSettlement.DeliveryDetails delivery = pending.delivery();
        if (logs && delivery != null) {
            log.warn("Attempt " + delivery.attempt() + " at message " + Printable.of(id) + ofTopic
                    + " ended after its lease was lost; its settlement changed nothing");
        }
        Duration handling = handling(pending, now);
        events.publish(to -> to.settlementRejected(recipient, id, handling));
    }

    /** Publishes that a settlement changed nothing, because the topic is no longer registered. */
    void unregistered(PendingSettlement pending) {
        Settlement settlement = pending.settlement();
        if (!(settlement instanceof Settlement.Release || settlement instanceof Settlement.Extend)) {
            events.publish(to -> to.settlementRejected(recipient, settlement.id(), null));
        }
    }

    private void accepted(
            PendingSettlement pending, Settlement settlement, Map<String, DeadLetterCause> dead, Instant now) {
        String id = settlement.id();
        PendingSettlement.DeliveryDetails delivery = pending.delivery();
        Duration handling = handling(pending, now);
        DeadLetterCause cause = dead.get(id);
        if (settlement instanceof Settlement.Release) {
            events.publish(to -> to.released(recipient, id));
        } else if (settlement instanceof Settlement.ToDeadLetters deadLetter) {
            deadLettered(pending, deadLetter, handling);
        } else if (cause != null && mayDeadLetter(settlement)) {
            events.publish(to -> to.deadLettered(recipient, id, cause, handling));
        } else if (delivery != null && handling != null && settlement instanceof Settlement.Retry retry) {
            events.publish(to -> to.retried(recipient, id, delivery.attempt(), handling, retry.delay()));
        } else if (delivery != null && handling != null && settlement instanceof Settlement.Postpone postpone) {
            events.publish(to -> to.postponed(recipient, id, delivery.attempt(), handling, postpone.delay()));
        } else if (delivery != null && handling != null) {
            Duration sinceSent = Duration.between(delivery.sentAt(), now);
            events.publish(to -> to.acknowledged(
                    recipient, id, delivery.attempt(), handling, sinceSent.isNegative() ? Duration.ZERO : sinceSent));
        }
    }

    private void deadLettered(
            PendingSettlement pending, Settlement.ToDeadLetters deadLetter, @Nullable Duration handling) {
        if (recipient.takesMessages()) {
            events.publish(to -> to.deadLettered(recipient, deadLetter.id(), deadLetter.cause(), handling));
        } else {
            Throwable failure = pending.failure() != null
                    ? pending.failure()
                    : new IllegalStateException("The listener dead-lettered the notification: "
                            + deadLetter.failure().message());
            events.publish(to -> to.notificationDropped(recipient, deadLetter.id(), failure, handling));
        }
    }

    private void deadLetteredUnsettled(DeadLettered deadLettered) {
        String id = deadLettered.id();
        boolean notable =
                deadLettered.cause() == DeadLetterCause.CRASHED || deadLettered.cause() == DeadLetterCause.EXPIRED;
        if (recipient.takesMessages()) {
            if (logs && notable) {
                log.warn("Message " + Printable.of(id) + ofTopic + " was dead-lettered: " + deadLettered.cause());
            }
            events.publish(to -> to.deadLettered(recipient, id, deadLettered.cause(), null));
        } else if (notable) { // drops by the listener were published with their settlements
            log.warn(
                    "The notification of dead letter " + Printable.of(id) + ofTopic
                            + " was dropped, because its leases ended repeatedly without a settlement; the dead letter is kept");
            Throwable failure = new IllegalStateException(
                    "Its leases ended repeatedly without a settlement: " + deadLettered.cause());
            events.publish(to -> to.notificationDropped(recipient, id, failure, null));
        }
    }
}
