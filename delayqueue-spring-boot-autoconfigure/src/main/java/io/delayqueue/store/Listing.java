package io.delayqueue.store;

import io.delayqueue.message.MessageSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a shard in order.
 *
 * @param messages may be none although more follow
 * @param next behind which to go on; null at the end
 */
public record Listing(
        List<MessageSnapshot> messages, @Nullable Place next) {

    /** Of a shard that holds nothing. */
    public static final Listing EMPTY = new Listing(List.of(), null);

    /**
     * A place in the order.
     *
     * @param millis due time or end of the lease, ms since 1970
     * @param id of a message that stands or stood there
     */
    public record Place(long millis, String id) {}
}
