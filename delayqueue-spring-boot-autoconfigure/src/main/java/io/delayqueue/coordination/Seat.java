package io.delayqueue.coordination;

/**
 * A consumer's place among all that consume a shard. Thread-safe; nothing here blocks but for a moment.
 *
 * <p>Claims are atomic, so nothing that is correct depends on it: it only saves wake-ups.
 */
public interface Seat {

    /** Whether this consumer has to look after the shard by itself; when in doubt, yes. */
    boolean watches();

    /** Whether others consume the shard too, in this process or another. */
    boolean hasPeers();

    /** Gives the place up; the shard is dealt anew at once. */
    void leave();

    /** The place of one that is alone. */
    static Seat alone() {
        return new Seat() {
            @Override
            public boolean watches() {
                return true;
            }

            @Override
            public boolean hasPeers() {
                return false;
            }

            @Override
            public void leave() {}
        };
    }
}
