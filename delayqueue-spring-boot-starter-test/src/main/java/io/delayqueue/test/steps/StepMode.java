package io.delayqueue.test.steps;

/** Who has the queue of a test work: the values of {@code delayqueue-test.steps}. */
public enum StepMode {

    /** The queue itself, on its own threads, as in production. The default. */
    BACKGROUND,

    /** The test, by {@link io.delayqueue.test.DelayQueueHarness}; nothing happens by itself. */
    MANUAL
}
