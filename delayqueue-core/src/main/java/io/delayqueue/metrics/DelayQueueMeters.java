package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.Key.CLIENT;
import static io.delayqueue.metrics.DelayQueueMeters.Key.INTERFACE;
import static io.delayqueue.metrics.DelayQueueMeters.Key.KIND;
import static io.delayqueue.metrics.DelayQueueMeters.Key.LEVEL;
import static io.delayqueue.metrics.DelayQueueMeters.Key.LISTENER;
import static io.delayqueue.metrics.DelayQueueMeters.Key.NODE;
import static io.delayqueue.metrics.DelayQueueMeters.Key.OPERATION;
import static io.delayqueue.metrics.DelayQueueMeters.Key.OUTCOME;
import static io.delayqueue.metrics.DelayQueueMeters.Key.REASON;
import static io.delayqueue.metrics.DelayQueueMeters.Key.SERVER;
import static io.delayqueue.metrics.DelayQueueMeters.Key.STATE;
import static io.delayqueue.metrics.DelayQueueMeters.Key.STATUS;
import static io.delayqueue.metrics.DelayQueueMeters.Key.TOPIC;
import static io.micrometer.core.instrument.Meter.Type.COUNTER;
import static io.micrometer.core.instrument.Meter.Type.GAUGE;
import static io.micrometer.core.instrument.Meter.Type.TIMER;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * All meters. Each meter always has the same tags; the {@code listener} of a receiver's deliveries is {@code none}.
 *
 * <p>Meters named {@code delayqueue.messages…} and {@code delayqueue.message…} count messages. The notifications that a
 * dead-letter listener handles count as deliveries only.
 */
public enum DelayQueueMeters implements MeterDocumentation {

    /** Messages by state. Concerns the whole queue: each node reports the same value. */
    MESSAGES("delayqueue.messages", GAUGE, "Messages in a state.", TOPIC, STATE),
    /** Schedules. Each node reports the same value. */
    SCHEDULES("delayqueue.schedules", GAUGE, "Schedules of recurring messages, also those that are paused.", TOPIC),
    /** Waiting time of the oldest due message. Each node reports the same value. */
    LAG("delayqueue.lag", GAUGE, "How long the oldest due message has been waiting.", TOPIC),
    /** Nodes that consume a topic. Each node reports the same value. */
    CONSUMERS(
            "delayqueue.consumers",
            GAUGE,
            "Nodes that run a listener of the topic, or that received from it within the last minute.",
            TOPIC),
    /** Handlers that a topic needs. Each node reports about the same value. */
    REQUIRED_HANDLERS(
            "delayqueue.required.handlers",
            GAUGE,
            "Handlers that the topic needs now or within five minutes, so that no message starts later than agreed; none while"
                    + " the mean handling time is unknown.",
            TOPIC),
    /** What the diagnosis finds. Concerns the whole queue: each node reports about the same values. */
    FINDINGS(
            "delayqueue.findings",
            GAUGE,
            "What an operator should look at: the number of findings, at most 100 series; none if nothing is found.",
            LEVEL,
            KIND,
            TOPIC,
            NODE),
    /** Age of the last sample. */
    SAMPLE_AGE("delayqueue.sample.age", GAUGE, "Age of the sample from which the gauges of topics are read."),

    /** Lateness of deliveries. */
    DELIVERY_LATENESS(
            "delayqueue.delivery.lateness",
            TIMER,
            "Time from a message's due time to the start of its handler.",
            TOPIC,
            LISTENER),
    /** Handling time by outcome. */
    DELIVERY_HANDLING(
            "delayqueue.delivery.handling",
            TIMER,
            "Time from a handler's start to the settlement.",
            TOPIC,
            LISTENER,
            OUTCOME),
    /** Time from send to acknowledgement. */
    MESSAGE_DURATION(
            "delayqueue.message.duration",
            TIMER,
            "Time from a message's send to its acknowledgement, including its delay.",
            TOPIC,
            LISTENER),

    /** Stored messages. */
    MESSAGES_SENT("delayqueue.messages.sent", COUNTER, "Messages stored by sends.", TOPIC),
    /** Rejected duplicates. */
    MESSAGES_DUPLICATES(
            "delayqueue.messages.duplicates",
            COUNTER,
            "Sends that were rejected because a message with the same id was live.",
            TOPIC),
    /** Failed sends after a commit. */
    MESSAGES_UNSENT(
            "delayqueue.messages.unsent",
            COUNTER,
            "Sends after a commit that failed: the transaction is committed, but the message may not be stored.",
            TOPIC),
    /** Failed cancels after a commit. */
    MESSAGES_UNCANCELLED(
            "delayqueue.messages.uncancelled",
            COUNTER,
            "Cancels after a commit that failed: the transaction is committed, but the message may not be cancelled.",
            TOPIC),
    /** Acknowledged messages. */
    MESSAGES_ACKNOWLEDGED(
            "delayqueue.messages.acknowledged", COUNTER, "Messages that were acknowledged.", TOPIC, LISTENER),
    /** Retried attempts. */
    MESSAGES_RETRIED(
            "delayqueue.messages.retried", COUNTER, "Attempts that were followed by a retry.", TOPIC, LISTENER),
    /** Postponed messages. */
    MESSAGES_POSTPONED("delayqueue.messages.postponed", COUNTER, "Messages that were postponed.", TOPIC, LISTENER),
    /** Dead letters. */
    MESSAGES_DEAD("delayqueue.messages.dead", COUNTER, "Messages that were dead-lettered.", TOPIC, LISTENER),
    /** Cancelled messages. */
    MESSAGES_CANCELLED("delayqueue.messages.cancelled", COUNTER, "Messages that were cancelled.", TOPIC),
    /** Replayed dead letters. */
    MESSAGES_REPLAYED("delayqueue.messages.replayed", COUNTER, "Dead letters that were replayed.", TOPIC),
    /** Actions of operators. */
    ACTIONS(
            "delayqueue.actions",
            COUNTER,
            "Actions of operators, through the endpoint, the HTTP API or jobs. A job counts when it is requested and when"
                    + " it ends.",
            TOPIC),

    /** Released deliveries. */
    DELIVERIES_RELEASED(
            "delayqueue.deliveries.released",
            COUNTER,
            "Deliveries that were released before they started.",
            TOPIC,
            LISTENER),
    /** Suppressed deliveries. */
    DELIVERIES_SUPPRESSED(
            "delayqueue.deliveries.suppressed",
            COUNTER,
            "Deliveries to a listener with once that were acknowledged without a call, because the message was already"
                    + " handled.",
            TOPIC,
            LISTENER),
    /** Lost leases. */
    LEASES_LOST("delayqueue.leases.lost", COUNTER, "Leases that were lost while the handler ran.", TOPIC, LISTENER),
    /** Reclaimed leases. */
    LEASES_RECLAIMED(
            "delayqueue.leases.reclaimed",
            COUNTER,
            "Leases that ended and were reclaimed, by the listener that reclaimed them.",
            TOPIC,
            LISTENER),
    /** Rejected settlements. */
    SETTLEMENTS_REJECTED(
            "delayqueue.settlements.rejected",
            COUNTER,
            "Settlements that Redis rejected because the lease was no longer held.",
            TOPIC,
            LISTENER),
    /** Sweeps that show missed signals. */
    SWEEPS_FOUND(
            "delayqueue.sweeps.found",
            COUNTER,
            "Sweeps that found due messages that no signal had announced.",
            TOPIC,
            LISTENER),
    /** Dead letters dropped by retention. */
    DEAD_LETTERS_DROPPED("delayqueue.dead-letters.dropped", COUNTER, "Dead letters that retention dropped.", TOPIC),
    /** Dropped dead-letter notifications. */
    NOTIFICATIONS_DROPPED(
            "delayqueue.notifications.dropped",
            COUNTER,
            "Dead-letter notifications that were dropped after their last attempt; the dead letters remain.",
            TOPIC),
    /** Memory of a Redis server. Each node reports the same value. */
    REDIS_MEMORY_USED("delayqueue.redis.memory.used", GAUGE, "Bytes of memory that Redis uses.", SERVER),
    /** Memory limit of a Redis server. Each node reports the same value. */
    REDIS_MEMORY_MAX(
            "delayqueue.redis.memory.max", GAUGE, "Maximum memory of Redis in bytes; 0 without a limit.", SERVER),
    /** Replicas of a Redis server. Each node reports the same value. */
    REDIS_REPLICAS("delayqueue.redis.replicas", GAUGE, "Replicas that are connected to Redis.", SERVER),
    /** Refused writes. Each node reports the same value. */
    REDIS_REFUSING("delayqueue.redis.refusing", GAUGE, "1 if Redis refuses writes, else 0.", SERVER),
    /** Failed calls. */
    REDIS_ERRORS(
            "delayqueue.redis.errors",
            COUNTER,
            "Calls to which Redis did not reply, or replied with an error.",
            OPERATION),
    /** Failed tasks. */
    TASKS_FAILED(
            "delayqueue.tasks.failed", COUNTER, "Failed runs of the engine's tasks, mostly caused by failed calls."),

    /** Rows of the outbox. Concerns the whole table: each node reports about the same value. */
    OUTBOX_MESSAGES(
            "delayqueue.outbox.messages",
            GAUGE,
            "Rows of the outbox, each a send or a cancel, that wait for Redis or were set aside because they were rejected for"
                    + " good.",
            STATE),
    /** Age of the outbox. Each node reports about the same value. */
    OUTBOX_AGE("delayqueue.outbox.age", GAUGE, "How long the oldest row of the outbox has been waiting for Redis."),
    /** Failures of the relay. */
    OUTBOX_ERRORS(
            "delayqueue.outbox.errors",
            COUNTER,
            "Failures of the outbox's relay, because the database or Redis was unavailable."),

    /** Running handlers. */
    PERMITS_USED(
            "delayqueue.listener.permits.used", GAUGE, "Handlers of a listener that are running.", TOPIC, LISTENER),
    /** Permitted handlers. */
    PERMITS_MAX(
            "delayqueue.listener.permits.max",
            GAUGE,
            "Handlers of a listener that may run concurrently.",
            TOPIC,
            LISTENER),

    /** Requests to the HTTP interfaces. */
    HTTP_REQUESTS(
            "delayqueue.http.requests",
            TIMER,
            "Time from the begin of a request to the end of its response, including the wait for messages.",
            INTERFACE,
            OPERATION,
            STATUS,
            CLIENT),
    /** Rejected requests. */
    HTTP_REJECTED(
            "delayqueue.http.rejected",
            COUNTER,
            "Requests that were rejected before they were executed.",
            CLIENT,
            REASON),
    /** Waiting requests. */
    HTTP_WAITING("delayqueue.http.waiting", GAUGE, "Requests that wait for messages on this node."),
    /** Permitted waiting requests. */
    HTTP_WAITING_MAX(
            "delayqueue.http.waiting.max",
            GAUGE,
            "Maximum number of requests that may wait for messages on this node.");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // never modified; getKeyNames() returns a copy
    private final Key[] keys;

    DelayQueueMeters(String meterName, Meter.Type type, String description, Key... keys) {
        this.meterName = meterName;
        this.type = type;
        this.description = description;
        this.keys = keys;
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public @Nullable String getBaseUnit() {
        return type == Meter.Type.TIMER || this == LAG || this == SAMPLE_AGE || this == OUTBOX_AGE ? "seconds" : null;
    }

    @Override
    public KeyName[] getKeyNames() {
        return keys.clone();
    }

    /** The description, one sentence. */
    public String description() {
        return description;
    }

    /** The tags of meters. */
    public enum Key implements KeyName {
        /** The topic's name; of a finding that concerns none, none. */
        TOPIC,
        /** The listener's id; {@code none} for receivers. */
        LISTENER,
        /** scheduled, ready (due), leased or dead; in the outbox, waiting or set_aside. */
        STATE,
        /** acknowledged, retried, dead or rejected. */
        OUTCOME,
        /** critical or warning. */
        LEVEL,
        /** The kind of a finding. */
        KIND,
        /** Host of the node that causes a finding; none if none or several do. */
        NODE,
        /** The script that was called: send, poll, heartbeat, …; of a request over HTTP, its operation or none. */
        OPERATION,
        /** Host and port of a master of a Cluster; none if Redis is no Cluster. */
        SERVER,
        /** api or compat. */
        INTERFACE,
        /** The class of the HTTP status: 2xx, 4xx or 5xx. */
        STATUS,
        /** The name of the configured HTTP client; none for all others. */
        CLIENT,
        /** Why an HTTP request was rejected. */
        REASON;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
