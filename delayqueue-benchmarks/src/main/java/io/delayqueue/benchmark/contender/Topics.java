package io.delayqueue.benchmark.contender;

/** The names that the product and its floor share. */
public final class Topics {

    /** The product's default namespace. */
    public static final String NAMESPACE = "dq";

    /** The topic that is measured. */
    public static final String BENCH = "bench";

    private Topics() {}
}
