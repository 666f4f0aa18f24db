package io.delayqueue.test.tasks;

/** How the queue's tasks run in a test: the values of {@code delayqueue-test.tasks}. */
public enum TaskMode {

    /** The queue runs its tasks on its own threads, as in production. The default. */
    BACKGROUND,

    /** The test runs the tasks through {@link io.delayqueue.test.DelayQueueHarness}. No task runs in the background. */
    MANUAL
}
