package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows about the sends of one message. The message of an unknown outcome shares its history with
 * the send that it repeats. Applications do not need this class. Thread-safe.
 */
@Internal
public final class SendHistory {

    private volatile boolean mayBeStored;
    /** Whether the message was counted as sent. */
    private final AtomicBoolean counted;

    private SendHistory(boolean mayBeStored, boolean counted) {
        this.mayBeStored = mayBeStored;
        this.counted = new AtomicBoolean(counted);
    }

    /** The history of a message that was not sent. */
    public static SendHistory none() {
        return new SendHistory(false, false);
    }

    /** The history of a message that another process, or an earlier run of this one, may have stored. */
    static SendHistory ofOtherProcess() {
        return new SendHistory(true, true);
    }

    /** Returns what is known about earlier sends of a message; null if there were none. */
    public static @Nullable SendHistory of(DelayMessage message) {
        return message.history();
    }

    /** Returns a message that repeats the send of this history. */
    public DelayMessage repeatOf(DelayMessage message, String id, String nonce) {
        return message.toBuilder().id(id).repeatOf(nonce, this).build();
    }

    /** Whether a send without a reply may have stored the message. */
    public boolean mayBeStored() {
        return mayBeStored;
    }

    /** Records that a send got no reply. */
    public void noReply() {
        mayBeStored = true;
    }

    /**
     * Records that Redis replied that the message is stored.
     *
     * @param repeated whether an earlier send stored it
     * @return whether the send counts as sent, which is true once per message: for the reply to the send that stored
     *     it or, if that reply was lost, for the first reply to a repeat
     */
    public boolean stored(boolean repeated) {
        return counted.compareAndSet(false, true) || !repeated;
    }
}
