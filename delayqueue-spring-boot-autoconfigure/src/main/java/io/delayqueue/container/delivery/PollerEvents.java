package io.delayqueue.container.delivery;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.DeathCause;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Tells what steps brought, as facts. */
public final class PollerEvents {

    private static final Log log = LogFactory.getLog(PollerEvents.class);

    private final EventBus events;
    private final ListenerSpec spec;
    private final Recipient recipient;

    /** For one listener. */
    public PollerEvents(EventBus events, ListenerSpec spec) {
        this.events = events;
        this.spec = spec;
        this.recipient = new Recipient(spec.topic(), spec.lane(), spec.id());
    }

    /**
     * Redis took an answer, or refused it as gone.
     *
     * @param nowMicros when it said so, by its clock
     */
    void settled(SettleBuffer.Entry entry, boolean accepted, long nowMicros) {
        ClaimedDelivery delivery = entry.delivery();
        String id = delivery.id();
        int attempt = delivery.attempt();
        if (!accepted && entry.settle() instanceof Settle.Release) {
            log.debug("Message " + id + " of topic " + spec.topic() + " was no longer leased when it was handed back");
        } else if (!accepted) {
            log.warn("Attempt " + delivery.attempt() + " at message " + id + " of topic " + spec.topic()
                    + " ended after its lease was lost; its answer changed nothing");
            Duration handling = delivery.isStarted() ? handling(entry) : null;
            events.publish(to -> to.gone(recipient, id, handling));
        } else if (entry.settle() instanceof Settle.Acknowledge) {
            Duration handling = handling(entry);
            Duration sinceSent = sinceSent(delivery, nowMicros);
            events.publish(to -> to.acknowledged(recipient, id, attempt, handling, sinceSent));
        } else if (entry.settle() instanceof Settle.Retry retry) {
            Duration handling = handling(entry);
            events.publish(to -> to.retried(recipient, id, attempt, handling, retry.delay()));
        } else if (entry.settle() instanceof Settle.Release) {
            events.publish(to -> to.released(recipient, id));
        } else if (entry.settle() instanceof Settle.Bury bury) {
            buried(entry, bury);
        }
    }

    private void buried(SettleBuffer.Entry entry, Settle.Bury bury) {
        if (recipient.takesMessages()) {
            died(bury.id(), bury.cause(), handling(entry));
        } else {
            Throwable failure = entry.failure() != null
                    ? entry.failure()
                    : new IllegalStateException(
                            "Its listener gave the notice up: " + bury.failure().message());
            noticeDropped(bury.id(), failure, handling(entry));
        }
    }

    private static Duration handling(SettleBuffer.Entry entry) {
        return Duration.ofNanos(entry.at() - entry.delivery().startedAt());
    }

    private static Duration sinceSent(ClaimedDelivery delivery, long nowMicros) {
        long sentMicros = delivery.open().sentAt().toEpochMilli() * 1000;
        return Duration.ofNanos(Math.max(0, nowMicros - sentMicros) * 1000);
    }

    /** What a step did besides. */
    void step(InFlight flight, StepReply reply) {
        reply.reclaimed().forEach(id -> events.publish(to -> to.reclaimed(recipient, id)));
        // the step's own burials were told as they were settled: a repeat no longer counts them among its deaths
        Set<String> buried = flight.settles().stream()
                .filter(entry -> entry.settle() instanceof Settle.Bury)
                .map(entry -> entry.settle().id())
                .collect(Collectors.toSet());
        reply.deaths().stream()
                .filter(death -> !buried.contains(death.id()))
                .forEach(death -> diedUnanswered(death.id(), death.cause()));
        if (flight.reason() == Lookout.Reason.SWEEP && !reply.claims().isEmpty()) {
            int count = reply.claims().size();
            events.publish(to -> to.sweepFound(recipient, count));
        }
    }

    private void diedUnanswered(String id, DeathCause cause) {
        boolean notable = cause == DeathCause.LEASE_OVER || cause == DeathCause.EXPIRED;
        if (recipient.takesMessages()) {
            if (notable) {
                log.warn("Message " + id + " of topic " + spec.topic() + " goes to the dead letters: " + cause);
            }
            died(id, cause, null);
        } else if (notable) { // what its listener gave up was told when Redis took that answer
            log.warn("The notice of dead letter " + id + " of topic " + spec.topic()
                    + " is dropped, as its last attempt brought no answer; the letter stays");
            noticeDropped(id, new IllegalStateException("The last attempt brought no answer: " + cause), null);
        }
    }

    private void died(String id, DeathCause cause, @Nullable Duration handling) {
        events.publish(to -> to.died(recipient, id, cause, handling));
    }

    private void noticeDropped(String letterId, Throwable failure, @Nullable Duration handling) {
        events.publish(to -> to.deathNoticeDropped(recipient, letterId, failure, handling));
    }

    /** A lease was lost before its delivery was answered. */
    void lost(ClaimedDelivery delivery) {
        if (delivery.isStarted()) {
            events.publish(to -> to.leaseLost(recipient, delivery.id(), delivery.leaseEnd()));
        }
    }
}
