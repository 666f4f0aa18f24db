package io.delayqueue.store;

import io.delayqueue.message.MessageSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of messages of a shard.
 *
 * @param messages the messages in order; may be empty although more pages follow
 * @param next the place after which the next page starts; null at the end
 */
public record Listing(
        List<MessageSnapshot> messages, @Nullable Place next) {

    /** The listing of an empty shard. */
    public static final Listing EMPTY = new Listing(List.of(), null);

    /**
     * A place in the order.
     *
     * @param millis due time or end of the lease, ms since 1970
     * @param id id of a message that is or was at this place
     */
    public record Place(long millis, String id) {}
}
