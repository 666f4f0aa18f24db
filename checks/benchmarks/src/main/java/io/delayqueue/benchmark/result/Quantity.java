package io.delayqueue.benchmark.result;

import java.util.List;

/** A measured quantity. */
public enum Quantity {
    /** Number of sent or handled messages. */
    MESSAGES("messages", ""),
    /** Messages per second. */
    RATE("rate", "/s"),
    /** Messages in the first second in which a new JVM or Node.js process sends. */
    FIRST_SECOND("first second", "/s"),
    /** Rate as a percentage of the rate of handlers that never wait for a message. */
    OF_IDEAL("of the ideal rate", "%"),
    /** Threads on which handlers ran. */
    THREADS("threads", ""),
    /** Median lateness. */
    P50("lateness p50", "ms"),
    /** 99th percentile of the lateness. */
    P99("lateness p99", "ms"),
    /** 99.9th percentile of the lateness. */
    P999("lateness p99.9", "ms"),
    /** Maximum lateness. */
    MAX("lateness max", "ms"),
    /** Median time until an asynchronous send completes. */
    COMPLETION_P50("completion p50", "ms"),
    /** 99th percentile of the time until an asynchronous send completes. */
    COMPLETION_P99("completion p99", "ms"),
    /** Asynchronous sends that failed, in the warm-up, too. */
    FAILED("failed sends", ""),
    /** Mean time from the due time until the poll is requested, of the fifth of the messages around the median. */
    WAKE_UP("wake-up of the poller", "ms"),
    /** Like {@link #WAKE_UP}, from then until Redis starts the script. */
    TO_REDIS("way to Redis, and waiting there", "ms"),
    /** Like {@link #WAKE_UP}, of the script. */
    SCRIPT("script", "ms"),
    /** Like {@link #WAKE_UP}, from then until the reply is read. */
    FROM_REDIS("way back", "ms"),
    /** Like {@link #WAKE_UP}, from then until the handler starts. */
    HAND_OFF("hand-off to the handler", "ms"),
    /** Like {@link #WAKE_UP}, of the latest hundredth of the messages. */
    WAKE_UP_LATEST("wake-up, latest 1 %", "ms"),
    /** Like {@link #TO_REDIS}, of the latest hundredth of the messages. */
    TO_REDIS_LATEST("way to Redis, latest 1 %", "ms"),
    /** Like {@link #SCRIPT}, of the latest hundredth of the messages. */
    SCRIPT_LATEST("script, latest 1 %", "ms"),
    /** Like {@link #FROM_REDIS}, of the latest hundredth of the messages. */
    FROM_REDIS_LATEST("way back, latest 1 %", "ms"),
    /** Like {@link #HAND_OFF}, of the latest hundredth of the messages. */
    HAND_OFF_LATEST("hand-off, latest 1 %", "ms"),
    /** Messages that were handled before they were due, by Redis' clock. */
    EARLY("early", ""),
    /** Messages that were handled more than once. */
    TWICE("twice", ""),
    /** Messages left in Redis after all were handled. */
    LEFT("left", ""),
    /** Redis' CPU time in its own code, per message. */
    CPU_USER("Redis CPU user", "µs"),
    /** Redis' CPU time in the kernel, per message. */
    CPU_SYSTEM("Redis CPU system", "µs"),
    /** Commands per message, including those inside scripts. */
    COMMANDS("commands", ""),
    /** Round trips per message. */
    ROUND_TRIPS("round trips", ""),
    /** Round trips other than sends per message: polls, and the node's heartbeats and reports. */
    POLLS("polls", ""),
    /** Memory allocated by the JVM per message. */
    ALLOCATED("allocated", "B"),
    /** Longest run of a script. */
    LONGEST_SCRIPT("longest script", "ms"),
    /** Instructions for a script without keys and arguments that returns a number. */
    OF_SCRIPT("script without keys", "instructions"),
    /** Instructions for a single send. */
    OF_SEND("send", "instructions"),
    /** Instructions for a message of a {@code sendAll} of 500. */
    OF_SENT_IN_BATCH("message of sendAll of 500", "instructions"),
    /** Instructions for a poll that finds nothing. */
    OF_IDLE_POLL("idle poll", "instructions"),
    /** Instructions for a poll that claims one message. */
    OF_CLAIM("poll: claim 1", "instructions"),
    /** Instructions for a poll that acknowledges one message. */
    OF_ACKNOWLEDGE("poll: acknowledge 1", "instructions"),
    /** Instructions for a poll that claims one message and acknowledges another. */
    OF_CLAIM_AND_ACKNOWLEDGE("poll: claim 1, acknowledge 1", "instructions"),
    /** Instructions for a message of polls that claim 500 and acknowledge 500. */
    OF_HANDLED_IN_BATCH("message of polls of 500", "instructions"),
    /** Commands per second, including those inside scripts. */
    COMMANDS_PER_SECOND("commands", "/s"),
    /** Redis' memory per scheduled message. */
    BYTES("memory", "B"),
    /** Time from the start of the JVM until the application is ready. */
    READY_AFTER("ready after", "ms"),
    /** CPU time of all threads of the JVM until the application was ready. */
    CPU_READY("CPU time", "ms"),
    /** Classes that the JVM loaded until the application was ready. */
    CLASSES("loaded classes", "");

    /** The parts of the lateness of the fifth of the messages around the median, in their order. */
    public static final List<Quantity> LAG = List.of(WAKE_UP, TO_REDIS, SCRIPT, FROM_REDIS, HAND_OFF);

    /** The parts of the lateness of the latest hundredth of the messages. */
    public static final List<Quantity> LAG_LATEST =
            List.of(WAKE_UP_LATEST, TO_REDIS_LATEST, SCRIPT_LATEST, FROM_REDIS_LATEST, HAND_OFF_LATEST);

    private final String title;
    private final String unit;

    Quantity(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** The title in reports. */
    public String title() {
        return title;
    }

    /** The unit, or an empty string. */
    public String unit() {
        return unit;
    }
}
