package io.delayqueue.benchmark.result;

/** Who is measured. */
public enum Party {
    /** The product as Boot configures it, on Lettuce. */
    PRODUCT("delayqueue"),
    /** The product on Jedis. */
    PRODUCT_ON_JEDIS("delayqueue on Jedis"),
    /** The product's own scripts with prepared bytes over bare Lettuce. */
    FLOOR_LETTUCE("floor (Lettuce)"),
    /** The product's own scripts with prepared bytes over bare Jedis. */
    FLOOR_JEDIS("floor (Jedis)"),
    /** Redisson's {@code RDelayedQueue} and {@code RBlockingQueue}; without acknowledgement. */
    REDISSON("Redisson"),
    /** {@code java.util.concurrent.DelayQueue}: within one process, nothing stored, nothing acknowledged. */
    JAVA("java.util.concurrent.DelayQueue");

    private final String title;

    Party(String title) {
        this.title = title;
    }

    /** What it is called in reports. */
    public String title() {
        return title;
    }

    /** Whether it is what the machine allows, rather than a queue. */
    public boolean isFloor() {
        return this == FLOOR_LETTUCE || this == FLOOR_JEDIS;
    }
}
