package io.delayqueue.benchmark.result;

/** The measured queues and floors. */
public enum Party {
    /** The product with Spring Boot's defaults. */
    PRODUCT("delayqueue"),
    /** The product's scripts with prepared arguments, called with plain Lettuce. */
    FLOOR_LETTUCE("floor (Lettuce)"),
    /** The product's scripts with prepared arguments, called with plain Jedis. */
    FLOOR_JEDIS("floor (Jedis)"),
    /** Redisson's {@code RDelayedQueue} and {@code RBlockingQueue}; without acknowledgement. */
    REDISSON("Redisson"),
    /** Redisson with consumers that poll with a timeout. Only its idle commands are measured. */
    REDISSON_POLLING("Redisson, poll(1 s) in a loop"),
    /** BullMQ in Node.js, if Node.js is installed. */
    BULLMQ("BullMQ"),
    /** The server of ouqiang/delay-queue, whose HTTP interface the product also has, if its executable is given. */
    ORIGINAL("ouqiang/delay-queue, in Go"),
    /** {@code java.util.concurrent.DelayQueue}: one process, no persistence, no acknowledgement. */
    JAVA("java.util.concurrent.DelayQueue"),
    /** An application with a running listener of the product. Only its start is measured. */
    LISTENER("delayqueue with a listener"),
    /** The same application without the product on the class path. Only its start is measured. */
    SPRING_BOOT("without delayqueue"),
    /** A transaction without a message. Only commits are measured, like of the next three. */
    NO_MESSAGE("without a message"),
    /** A transaction whose message is sent after the commit. */
    NO_OUTBOX("without the outbox"),
    /** The same with the outbox. */
    OUTBOX("with the outbox, generated ids"),
    /** The same with an id that the application chooses. */
    OUTBOX_GIVEN_IDS("with the outbox, given ids");

    private final String title;

    Party(String title) {
        this.title = title;
    }

    /** The title in reports. */
    public String title() {
        return title;
    }

    /** Whether this is a floor instead of a queue. */
    public boolean isFloor() {
        return this == FLOOR_LETTUCE || this == FLOOR_JEDIS;
    }
}
