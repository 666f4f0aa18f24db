package io.delayqueue.redis;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one master, which never reconnects: a reply certainly belongs to the command that was sent on it.
 * One thread at a time uses it.
 */
interface MasterConnection extends AutoCloseable {

    /**
     * The reply to a command.
     *
     * @param elements the elements of the reply; a reply that is no list has one element
     * @param failure the error reply of Redis, or why there is no reply; null if there is a reply
     */
    record Reply(List<Object> elements, @Nullable Throwable failure) {

        static Reply of(List<Object> elements) {
            return new Reply(elements, null);
        }

        static Reply failed(Throwable failure) {
            return new Reply(List.of(), failure);
        }
    }

    /**
     * Sends commands in one pipeline and waits for the replies.
     *
     * @param commands names and arguments
     * @param timeout longest time to wait for all replies
     * @return the replies in the order of the commands
     */
    List<Reply> exchange(List<List<byte[]>> commands, Duration timeout);

    @Override
    void close();
}
