package io.delayqueue.benchmark.result;

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
    /** Memory allocated by the JVM per message. */
    ALLOCATED("allocated", "B"),
    /** Longest run of a script. */
    LONGEST_SCRIPT("longest script", "ms"),
    /** Commands per second, including those inside scripts. */
    COMMANDS_PER_SECOND("commands", "/s"),
    /** Redis' memory per scheduled message. */
    BYTES("memory", "B");

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
