package io.delayqueue.admin;

/** What a job does. */
public enum JobAction {
    /** Schedules the messages of dead letters again. Their attempts start from zero. */
    REPLAY(true),
    /** Removes dead letters permanently. */
    PURGE(true),
    /** Makes all scheduled messages due at once. */
    RUN(false),
    /** Cancels all messages that are scheduled or ready. */
    CANCEL(false),
    /**
     * Moves all messages that are scheduled or ready to another topic, with their ids, due times, headers and limits.
     * Their attempts start from zero. A message stays if its id is live in the other topic.
     */
    MOVE(false),
    /** Pauses the topic on all nodes. */
    PAUSE(false),
    /** Ends the pause of the topic on all nodes. */
    RESUME(false);

    private final boolean onDeadLetters;

    JobAction(boolean onDeadLetters) {
        this.onDeadLetters = onDeadLetters;
    }

    /** Whether it acts on dead letters. */
    public boolean isOnDeadLetters() {
        return onDeadLetters;
    }
}
