package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Quantity;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Thresholds of the goals. */
public final class Limits {

    /** Single sends: minimum fraction of the rate of the floor, which makes one call for each message. */
    static final double SEND_OF_FLOOR = 1;

    /** Single sends: minimum multiple of Redisson's rate. */
    static final double SEND_TIMES_REDISSON = 2;

    /** Batches from one thread: minimum fraction of the rate of the floor, which has two calls in flight. */
    static final double SEND_ALL_1_OF_FLOOR = 0.80;

    /** Batches from eight threads: minimum fraction of the floor's rate. */
    static final double SEND_ALL_8_OF_FLOOR = 0.90;

    /** Consumption: minimum fraction of the floor's rate. */
    static final double DRAIN_OF_FLOOR = 0.80;

    /** Consumption with acknowledgement: minimum multiple of Redisson's rate without acknowledgement. */
    static final double DRAIN_TIMES_REDISSON = 4.5;

    /** Maximum median lateness in milliseconds. */
    static final double LATENESS_P50 = 0.35;

    /** Maximum 99th percentile of the lateness in milliseconds. */
    static final double LATENESS_P99 = 2;

    /** Maximum lateness of any message in milliseconds. */
    static final double LATENESS_MAX = 20;

    /** Number of scheduled messages with which the lateness limits also apply. */
    static final long LATENESS_SCHEDULED = 1_000_000;

    /** Topics of several shards: minimum fraction of the rate of single sends to one shard. */
    static final double SHARDS_OF_ONE = 0.85;

    /** 99th percentile of the lateness at 20,000 messages per second, in milliseconds. */
    static final double LATENESS_20_P99 = 5;

    /** 99th percentile of the lateness at 50,000 messages per second, in milliseconds. */
    static final double LATENESS_50_P99 = 20;

    /** Handlers that sleep: minimum percentage of the ideal rate. */
    static final double OF_IDEAL = 95;

    /** Maximum number of messages handled before they are due. */
    static final double EARLY = 0;

    /** Maximum number of commands per second of an idle node. */
    static final double IDLE_COMMANDS_PER_SECOND = 15;

    /** Maximum CPU time of Redis for a single send, in microseconds. */
    static final double CPU_SEND = 11;

    /** Maximum CPU time of Redis per message for a batch send and its consumption, in microseconds. */
    static final double CPU_SEND_ALL_AND_DRAIN = 7;

    /**
     * Maximum instructions of Redis, as multiples of those for a script without keys, which depend in a similar way on
     * the server's version and allocator: 15 % more than Redis 7.0 needs, and at least 5 % more than Valkey 9.1. A
     * greater number fails the run.
     */
    public static final SortedMap<Quantity, Double> INSTRUCTIONS =
            Collections.unmodifiableSortedMap(new TreeMap<>(Map.of(
                    Quantity.OF_SEND, 7.5,
                    Quantity.OF_SENT_IN_BATCH, 1.5,
                    Quantity.OF_IDLE_POLL, 10.7,
                    Quantity.OF_CLAIM, 16.8,
                    Quantity.OF_ACKNOWLEDGE, 13.0,
                    Quantity.OF_CLAIM_AND_ACKNOWLEDGE, 19.2,
                    Quantity.OF_HANDLED_IN_BATCH, 2.1)));

    /** Smaller number of scheduled messages to which the limit of memory applies, measured for all queues. */
    static final long MEMORY_SCHEDULED = 100_000;

    /** Greater number of scheduled messages to which the limit of memory applies. */
    static final long MEMORY_MANY_SCHEDULED = 1_000_000;

    /** Maximum memory of a scheduled message in Redis, in bytes. */
    static final double BYTES = 400;

    /** Number of scheduled messages at which growth starts. */
    static final long GROWTH_FROM = 10_000;

    /** Number of scheduled messages at which growth ends. */
    static final long GROWTH_TO = 5_000_000;

    /** Single sends and consumption: the change of the rate over the growth must be greater than this fraction. */
    static final double GROWTH_CHANGE = -0.15;

    /** Batches: minimum change of the rate over the growth, as a fraction in addition to the change of the floor. */
    static final double GROWTH_CHANGE_BESIDE_FLOOR = -0.10;

    /** Maximum duration of a script while a burst is consumed, in milliseconds. */
    static final double BURST_LONGEST_SCRIPT = 10;

    /** Burst: minimum fraction of the consumption rate. */
    static final double BURST_OF_DRAIN = 0.80;

    /** Application with the product on the class path: maximum additional time of its start, in milliseconds. */
    static final double START_UP = 400;

    /** Application with a listener: maximum additional time of its start, in milliseconds. */
    static final double START_UP_LISTENER = 500;

    private Limits() {}
}
