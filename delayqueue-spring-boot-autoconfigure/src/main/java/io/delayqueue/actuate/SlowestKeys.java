package io.delayqueue.actuate;

import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.Shown;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageSnapshot.OrderedKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of an ordered topic whose parked messages have been due for longest, the slowest first. */
public record SlowestKeys(List<Key> keys) {

    /**
     * A key, see {@link OrderedKey}.
     *
     * @param head omitted if it is unknown
     */
    public record Key(
            String key,
            long parked,
            Instant oldestDue,
            boolean held,
            @Nullable MessageDetails head) {}

    static SlowestKeys of(List<OrderedKey> keys, Shown shown) {
        return new SlowestKeys(keys.stream().map(key -> of(key, shown)).toList());
    }

    private static Key of(OrderedKey key, Shown shown) {
        MessageSnapshot head = key.head();
        return new Key(
                key.key(),
                key.parked(),
                key.oldestDue(),
                key.held(),
                head == null ? null : MessageDetails.of(head, shown));
    }
}
