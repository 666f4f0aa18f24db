package io.delayqueue.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * All meters. Each always has the same tags: the {@code listener} of what was pulled is {@code none}.
 *
 * <p>Those named {@code delayqueue.messages…} and {@code delayqueue.message…} count messages. A dead-letter listener
 * handles notices of deaths, which count with its deliveries only.
 */
public enum DelayQueueMeters implements MeterDocumentation {

    /** Messages by state. Of all nodes; each of them reports the same. */
    MESSAGES("delayqueue.messages", Meter.Type.GAUGE, "Messages that stand in a state.", Key.TOPIC, Key.STATE),
    /** How long the oldest due message has been waiting. Of all nodes. */
    LAG("delayqueue.lag", Meter.Type.GAUGE, "For how long the oldest due message has been waiting.", Key.TOPIC),
    /** Nodes with a listener. Of all nodes. */
    CONSUMERS("delayqueue.consumers", Meter.Type.GAUGE, "Nodes on which a listener of the topic runs.", Key.TOPIC),
    /** Topics that gather messages for nobody. Of all nodes. */
    TOPICS_UNCONSUMED(
            "delayqueue.topics.unconsumed", Meter.Type.GAUGE, "Topics with messages, but without a consumer."),
    /** Topics of which there are no counts. Of all nodes. */
    TOPICS_UNKNOWN(
            "delayqueue.topics.unknown",
            Meter.Type.GAUGE,
            "Topics whose state Redis did not tell: their gauges are not a number."),
    /** How old the gauges of all nodes are. */
    SAMPLE_AGE("delayqueue.sample.age", Meter.Type.GAUGE, "Age of the sample that the gauges above were read from."),

    /** Lateness of starts. */
    DELIVERY_LATENESS(
            "delayqueue.delivery.lateness",
            Meter.Type.TIMER,
            "From a message's due time to the start of its handler.",
            Key.TOPIC,
            Key.LISTENER),
    /** Handling by outcome. */
    DELIVERY_HANDLING(
            "delayqueue.delivery.handling",
            Meter.Type.TIMER,
            "From a handler's start to its answer.",
            Key.TOPIC,
            Key.LISTENER,
            Key.OUTCOME),
    /** End to end. */
    MESSAGE_DURATION(
            "delayqueue.message.duration",
            Meter.Type.TIMER,
            "From a message's send to its acknowledgement, its delay included.",
            Key.TOPIC,
            Key.LISTENER),

    /** Sends. */
    MESSAGES_SENT("delayqueue.messages.sent", Meter.Type.COUNTER, "Messages that sends stored.", Key.TOPIC),
    /** Sends that were refused. */
    MESSAGES_DUPLICATES(
            "delayqueue.messages.duplicates",
            Meter.Type.COUNTER,
            "Sends that were refused because their id was live.",
            Key.TOPIC),
    /** Sends whose transaction stands without them. */
    MESSAGES_UNSENT(
            "delayqueue.messages.unsent",
            Meter.Type.COUNTER,
            "Sends after a commit that were given up: the transaction stands, the message does not.",
            Key.TOPIC),
    /** Ends. */
    MESSAGES_ACKNOWLEDGED(
            "delayqueue.messages.acknowledged",
            Meter.Type.COUNTER,
            "Messages that were acknowledged.",
            Key.TOPIC,
            Key.LISTENER),
    /** Attempts that are followed by another. */
    MESSAGES_RETRIED(
            "delayqueue.messages.retried",
            Meter.Type.COUNTER,
            "Attempts that failed and are followed by another one.",
            Key.TOPIC,
            Key.LISTENER),
    /** Deaths. */
    MESSAGES_DEAD(
            "delayqueue.messages.dead",
            Meter.Type.COUNTER,
            "Messages that went to the dead letters.",
            Key.TOPIC,
            Key.LISTENER),
    /** Cancels. */
    MESSAGES_CANCELLED("delayqueue.messages.cancelled", Meter.Type.COUNTER, "Messages that were cancelled.", Key.TOPIC),
    /** Replays. */
    MESSAGES_REPLAYED(
            "delayqueue.messages.replayed", Meter.Type.COUNTER, "Dead letters that were replayed.", Key.TOPIC),

    /** Hand-backs. */
    DELIVERIES_RELEASED(
            "delayqueue.deliveries.released",
            Meter.Type.COUNTER,
            "Deliveries that were handed back before they started.",
            Key.TOPIC,
            Key.LISTENER),
    /** Leases that their owner lost. */
    LEASES_LOST(
            "delayqueue.leases.lost",
            Meter.Type.COUNTER,
            "Leases that were lost while their handler ran.",
            Key.TOPIC,
            Key.LISTENER),
    /** Leases that were taken back. */
    LEASES_RECLAIMED(
            "delayqueue.leases.reclaimed",
            Meter.Type.COUNTER,
            "Leases that ran out and were taken back, by who did that.",
            Key.TOPIC,
            Key.LISTENER),
    /** Stale answers. */
    SETTLES_GONE(
            "delayqueue.settles.gone",
            Meter.Type.COUNTER,
            "Answers that came too late and changed nothing.",
            Key.TOPIC,
            Key.LISTENER),
    /** Missed signals. */
    SWEEPS_FOUND(
            "delayqueue.sweeps.found",
            Meter.Type.COUNTER,
            "Sweeps that found due messages which no signal had announced.",
            Key.TOPIC,
            Key.LISTENER),
    /** Letters that nobody looked at in time. */
    LETTERS_DROPPED(
            "delayqueue.letters.dropped", Meter.Type.COUNTER, "Dead letters that retention dropped.", Key.TOPIC),
    /** Letters of which their listener won't hear. */
    NOTICES_DROPPED(
            "delayqueue.notices.dropped",
            Meter.Type.COUNTER,
            "Dead letters whose listener failed for the last time; they stay.",
            Key.TOPIC),
    /** Failed calls. */
    REDIS_ERRORS(
            "delayqueue.redis.errors",
            Meter.Type.COUNTER,
            "Calls that Redis did not answer, or answered with an error.",
            Key.OPERATION),
    /** Failed steps. */
    STEPS_FAILED(
            "delayqueue.steps.failed",
            Meter.Type.COUNTER,
            "Steps of the engine that failed, mostly for such an error."),

    /** Handlers that run. */
    PERMITS_USED(
            "delayqueue.listener.permits.used",
            Meter.Type.GAUGE,
            "Handlers of a listener that run.",
            Key.TOPIC,
            Key.LISTENER),
    /** Handlers that may run. */
    PERMITS_MAX(
            "delayqueue.listener.permits.max",
            Meter.Type.GAUGE,
            "Handlers of a listener that may run at once.",
            Key.TOPIC,
            Key.LISTENER);

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // never changed, and only copies are given away
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
        return type == Meter.Type.TIMER || this == LAG || this == SAMPLE_AGE ? "seconds" : null;
    }

    @Override
    public KeyName[] getKeyNames() {
        return keys.clone();
    }

    /** What it measures, in a sentence. */
    public String description() {
        return description;
    }

    /** The tags of meters. */
    public enum Key implements KeyName {
        /** The topic's name. */
        TOPIC,
        /** The listener's id, {@code none} for whoever pulls. */
        LISTENER,
        /** scheduled, ready (due), leased or dead. */
        STATE,
        /** acknowledged, retried, dead or gone. */
        OUTCOME,
        /** The script that was called: send, step, heartbeat, … */
        OPERATION;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
