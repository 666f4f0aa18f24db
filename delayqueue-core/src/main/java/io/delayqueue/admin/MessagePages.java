package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Listing;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.script.ShardReader;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a topic's live messages in pages, in the order of a view over all shards. Thread-safe. */
record MessagePages(ShardReader reader) {

    private static final Pattern TEXT = Pattern.compile("(SC|RE|LE|SU)\\.([0-9a-z]{1,11})\\.([A-Za-z0-9_-]*)");
    private static final int RADIX = 36;

    /** The order of each shard: by time, then by the bytes of the id. */
    private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::millis)
            .thenComparing(place -> place.id().getBytes(UTF_8), Arrays::compareUnsigned);

    /**
     * Reads a page. All shards have the same order, so that one place is a position in each of them.
     *
     * @param after the place after which the page begins; null for the beginning
     */
    MessagePage read(List<Shard> shards, MessageView view, @Nullable Place after, int count) {
        MessageState state = MessageState.valueOf(view.name());
        ShardMerge<Place, MessageSnapshot> merge =
                new ShardMerge<>(ORDER, message -> message.envelope().payload().length, count, PollRequest.MAX_BYTES);
        int length = ShardMerge.runLength(count, shards.size());
        for (Shard shard : shards) {
            Listing listing = Await.call(() -> reader.list(shard, state, after, length));
            // the last place read may be that of a message that is not on the page
            merge.add(listing.messages(), MessagePages::place, listing.next());
        }
        Place next = merge.next();
        return new MessagePage(merge.items(), next == null ? null : text(view, next));
    }

    private static Place place(MessageSnapshot message) {
        Instant leaseEnd = message.leaseEnd();
        Instant time = leaseEnd == null ? message.dueAt() : leaseEnd;
        return new Place(time.toEpochMilli(), message.id());
    }

    /**
     * Parses the text that identifies a page. It names the message before the page, and not a number of messages, so
     * that it stays correct when other messages are added or removed.
     *
     * @return the place after which the page begins
     */
    static Place parse(MessageView view, String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || !matcher.group(1).equals(initials(view))) {
            throw new IllegalArgumentException("Not a page of " + view + " messages: " + text);
        }
        try {
            String id = new String(Base64.getUrlDecoder().decode(matcher.group(3)), UTF_8);
            return new Place(Long.parseLong(matcher.group(2), RADIX), id);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Not a page of " + view + " messages: " + text, e);
        }
    }

    private static String text(MessageView view, Place after) {
        byte[] id = after.id().getBytes(UTF_8);
        return initials(view)
                + '.'
                + Long.toString(after.millis(), RADIX)
                + '.'
                + Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    }

    /** What the text of each page of a view begins with. */
    static String initials(MessageView view) {
        return view.name().substring(0, 2);
    }
}
