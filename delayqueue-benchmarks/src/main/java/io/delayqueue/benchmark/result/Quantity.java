package io.delayqueue.benchmark.result;

/** A number that a measurement gives. */
public enum Quantity {
    /** Messages that were sent or handled and counted. */
    MESSAGES("messages", ""),
    /** Messages a second. */
    RATE("rate", "/s"),
    /** Lateness, half of the messages less. */
    P50("lag p50", "ms"),
    /** Lateness, 99 % less. */
    P99("lag p99", "ms"),
    /** Lateness, 99.9 % less. */
    P999("lag p99.9", "ms"),
    /** The greatest lateness. */
    MAX("lag max", "ms"),
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
    /** Commands per message, those inside scripts too. */
    COMMANDS("commands", ""),
    /** Calls from outside per message: each is a round trip. */
    ROUND_TRIPS("round trips", ""),
    /** What the JVM allocated per message. */
    ALLOCATED("allocated", "B"),
    /** The longest script. */
    LONGEST_SCRIPT("longest script", "ms"),
    /** Commands a second, those inside scripts too. */
    COMMANDS_PER_SECOND("commands", "/s"),
    /** Redis' memory per scheduled message. */
    BYTES("memory", "B");

    private final String title;
    private final String unit;

    Quantity(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** What it is called in reports. */
    public String title() {
        return title;
    }

    /** What it is counted in, or nothing. */
    public String unit() {
        return unit;
    }
}
