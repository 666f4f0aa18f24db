package io.delayqueue.message;

/** What became of the replay of a dead letter. */
public enum ReplayOutcome {
    /** The message is scheduled again, attempts from zero; the letter is gone. */
    REPLAYED,
    /** A message with the letter's id is live: nothing changed and the letter stays. */
    ID_LIVE,
    /** Nobody here can read the letter, as one of a later version: nothing changed and it stays. */
    UNREADABLE,
    /** There is no such letter. */
    NOT_FOUND
}
