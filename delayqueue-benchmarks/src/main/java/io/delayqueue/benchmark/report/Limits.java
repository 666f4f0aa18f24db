package io.delayqueue.benchmark.report;

/** The numbers of the goals. */
final class Limits {

    /** Single sends: the least part of the floor's rate. */
    static final double SEND_OF_FLOOR = 0.70;

    /** Single sends: the least multiple of Redisson's rate. */
    static final double SEND_TIMES_REDISSON = 2;

    /** Batches from one thread: the least part of the floor's rate. */
    static final double SEND_ALL_1_OF_FLOOR = 0.75;

    /** Batches from eight threads: the least part of the floor's rate. */
    static final double SEND_ALL_8_OF_FLOOR = 0.85;

    /** Consuming: the least part of the floor's rate. */
    static final double DRAIN_OF_FLOOR = 0.60;

    /** Consuming with acknowledgement: the least multiple of Redisson's rate without. */
    static final double DRAIN_TIMES_REDISSON = 4;

    /** How late half of the messages may be, in ms. */
    static final double LAG_P50 = 0.5;

    /** How late 99 % of the messages may be, in ms. */
    static final double LAG_P99 = 3;

    /** How late any message may be, in ms. */
    static final double LAG_MAX = 20;

    /** Beside how many scheduled messages the lag must hold, besides with none. */
    static final long LAG_SCHEDULED = 1_000_000;

    /** How many messages may be handled before they are due. */
    static final double EARLY = 0;

    /** Commands a second with nothing to do. */
    static final double IDLE_COMMANDS_PER_SECOND = 15;

    /** Redis' CPU time for a message that is sent alone and consumed, in µs. */
    static final double CPU_SEND_AND_DRAIN = 15;

    /** Redis' CPU time for a message that is sent with others and consumed, in µs. */
    static final double CPU_SEND_ALL_AND_DRAIN = 8;

    /** Redis' memory for a scheduled message, in bytes. */
    static final double BYTES = 450;

    /** Scheduled messages from which growth counts. */
    static final long GROWTH_FROM = 10_000;

    /** Scheduled messages up to which growth counts. */
    static final long GROWTH_TO = 5_000_000;

    /** By which part the rates of single sends and of consuming may not yet fall over the growth. */
    static final double GROWTH_FALL = 0.15;

    /** By which part the rates of batches may fall beyond the fall of the floor over the growth. */
    static final double GROWTH_FALL_BEYOND_FLOOR = 0.10;

    /** The longest script while a burst is consumed, in ms. */
    static final double BURST_LONGEST_SCRIPT = 10;

    /** The least part of the rate of consuming at which a burst is consumed. */
    static final double BURST_OF_DRAIN = 0.80;

    private Limits() {}
}
