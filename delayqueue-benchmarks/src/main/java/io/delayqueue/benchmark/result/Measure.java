package io.delayqueue.benchmark.result;

/** A kind of measurement. */
public enum Measure {
    /** Single sends from 8 threads. */
    SEND("send, 8 threads"),
    /** {@code sendAll} of 500 from one thread. */
    SEND_ALL_1("sendAll of 500, 1 thread"),
    /** {@code sendAll} of 500 from 8 threads. */
    SEND_ALL_8("sendAll of 500, 8 threads"),
    /** Consumption of due messages until all are acknowledged, with concurrency 8 and an empty handler. */
    DRAIN("drain, concurrency 8"),
    /** Lateness at 1,000 messages per second with random delays. */
    LATENESS("lateness at 1,000/s"),
    /** Commands per second without messages. */
    IDLE("idle, 10 topics"),
    /** Messages due in one millisecond, consumed as they become due. */
    BURST("burst of one millisecond"),
    /** Memory of a scheduled message in Redis, in bytes. */
    MEMORY("memory");

    private final String title;

    Measure(String title) {
        this.title = title;
    }

    /** The title in reports. */
    public String title() {
        return title;
    }
}
