package io.delayqueue.message;

/** Result of the replay of a dead letter. */
public enum ReplayOutcome {
    /** The message is scheduled again and its attempts start from zero; the dead letter is removed. */
    REPLAYED,
    /** A message with the same id is live; nothing changed. */
    ID_LIVE,
    /** This version cannot read the dead letter, for example because a later version wrote it; nothing changed. */
    UNREADABLE,
    /** The dead letter does not exist. */
    NOT_FOUND
}
