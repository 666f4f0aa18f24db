package io.delayqueue.container.delivery;

import io.delayqueue.event.EventBus;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Tells what steps brought, as facts. */
public final class PollerEvents {

    private static final Log log = LogFactory.getLog(PollerEvents.class);

    private final EventBus events;
    private final ListenerSpec spec;

    /** For one listener. */
    public PollerEvents(EventBus events, ListenerSpec spec) {
        this.events = events;
        this.spec = spec;
    }

    /** Redis took an answer, or refused it as gone. */
    void settled(SettleBuffer.Entry entry, boolean accepted) {
        ClaimedDelivery delivery = entry.delivery();
        String id = delivery.id();
        if (!accepted && entry.settle() instanceof Settle.Release) {
            log.debug("Message " + id + " of topic " + spec.topic() + " was no longer leased when it was handed back");
        } else if (!accepted) {
            log.warn("Attempt " + delivery.attempt() + " at message " + id + " of topic " + spec.topic()
                    + " ended after its lease was lost; its answer changed nothing");
            events.publish(to -> to.gone(spec.topic(), id));
        } else if (entry.settle() instanceof Settle.Acknowledge) {
            Duration handling = Duration.ofNanos(entry.at() - delivery.startedAt());
            events.publish(to -> to.acknowledged(spec.topic(), spec.id(), id, delivery.attempt(), handling));
        } else if (entry.settle() instanceof Settle.Retry retry) {
            events.publish(to -> to.retried(spec.topic(), spec.id(), id, delivery.attempt(), retry.delay()));
        } else if (entry.settle() instanceof Settle.Release) {
            events.publish(to -> to.released(spec.topic(), spec.id(), id));
        } else if (entry.settle() instanceof Settle.Bury bury) {
            died(id, bury.cause());
        }
    }

    /** What a step did besides. */
    void step(InFlight flight, StepReply reply) {
        reply.reclaimed().forEach(id -> events.publish(to -> to.reclaimed(spec.topic(), id)));
        // the step's own burials were told as they were settled: a repeat no longer counts them among its deaths
        Set<String> buried = flight.settles().stream()
                .filter(entry -> entry.settle() instanceof Settle.Bury)
                .map(entry -> entry.settle().id())
                .collect(Collectors.toSet());
        reply.deaths().stream()
                .filter(death -> !buried.contains(death.id()))
                .forEach(death -> died(death.id(), death.cause()));
        if (flight.reason() == Lookout.Reason.SWEEP && !reply.claims().isEmpty()) {
            int count = reply.claims().size();
            events.publish(to -> to.sweepFound(spec.topic(), count));
        }
    }

    /** Those that its listener gave up were told by then; these never got an answer. */
    private void noticeDropped(String letterId, DeathCause cause) {
        if (cause == DeathCause.LEASE_OVER || cause == DeathCause.EXPIRED) {
            log.warn("The notice of dead letter " + letterId + " of topic " + spec.topic()
                    + " is dropped, as its last attempt brought no answer; the letter stays");
            IllegalStateException failure = new IllegalStateException("The last attempt brought no answer: " + cause);
            events.publish(to -> to.deathNoticeDropped(spec.topic(), letterId, failure));
        }
    }

    private void died(String id, DeathCause cause) {
        if (spec.lane() == Lane.DEATHS) {
            noticeDropped(id, cause);
            return;
        }
        if (cause == DeathCause.LEASE_OVER || cause == DeathCause.EXPIRED) {
            log.warn("Message " + id + " of topic " + spec.topic() + " goes to the dead letters: " + cause);
        }
        events.publish(to -> to.died(spec.topic(), id, cause));
    }

    /** A lease was lost before its delivery was answered. */
    void lost(ClaimedDelivery delivery) {
        if (delivery.isStarted()) {
            events.publish(to -> to.leaseLost(spec.topic(), spec.id(), delivery.id(), delivery.leaseEnd()));
        }
    }
}
