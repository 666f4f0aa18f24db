package io.delayqueue.web.api.request;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a settlement does. In JSON, each action has the name of its path. */
public enum SettleAction {

    /** Removes the message. */
    ACKNOWLEDGE,

    /** Delivers the message again, or dead-letters it after its last permitted attempt. */
    RETRY,

    /** Delivers the message again. The attempt does not count. */
    POSTPONE,

    /** Delivers the message again, and until then other messages of its key. The attempt does not count. */
    @JsonProperty("let-others-pass")
    LET_OTHERS_PASS,

    /** Delivers the message again after a delay, and until then no other message of the topic. The attempt does not count. */
    HOLD,

    /** Dead-letters the message. */
    @JsonProperty("dead-letter")
    DEAD_LETTER,

    /** Extends the lease. */
    EXTEND,

    /** Returns the message to the queue with the same due time. The attempt does not count. */
    RELEASE
}
