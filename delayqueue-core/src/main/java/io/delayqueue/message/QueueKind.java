package io.delayqueue.message;

/** What a queue contains. A topic has a queue of each kind. */
public enum QueueKind {
    /** The topic's messages. */
    MESSAGES,
    /**
     * Notifications of dead letters for dead-letter listeners. The id of a notification is the id of its dead letter.
     */
    NOTIFICATIONS
}
