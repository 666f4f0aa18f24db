package io.delayqueue.benchmark.contender;

/** Names shared by the product and its floor. */
public final class Topics {

    /** The default namespace of the product. */
    public static final String NAMESPACE = "dq";

    /** The measured topic. */
    public static final String BENCH = "bench";

    private Topics() {}
}
