package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.Listing;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a live message from the parts of a script's reply. */
final class SnapshotReply {

    /** Token, attempts and due time. The failure follows. */
    private static final Pattern DELIVERY = Pattern.compile("\\S+ \\d{1,9} \\d{1,16}(?= |$)");

    private static final int FAILURE = 3;

    private SnapshotReply() {}

    /** Reads the reply of {@code find.lua}. For an unreadable message, the last failure is the reason. */
    static Optional<MessageSnapshot> read(String topic, String id, List<Object> reply) {
        Object stored = part(reply, 2);
        Object due = part(reply, 3);
        Object leaseEnd = part(reply, 4);
        if (stored == null || (due == null && leaseEnd == null)) {
            return Optional.empty();
        }
        String[] delivery = delivery(part(reply, 5));
        Envelope envelope = envelope((byte[]) stored, delivery);
        return Optional.of(
                due == null
                        ? leased(topic, id, Replies.millis(leaseEnd), delivery, envelope)
                        : scheduled(topic, id, Replies.millis(due), Replies.micros(reply.get(1)), delivery, envelope));
    }

    /** Reads the reply of {@code list.lua}. For an unreadable message, the last failure is the reason. */
    static Listing list(String topic, MessageState state, List<Object> reply) {
        List<Object> ids = Replies.list(reply.get(2));
        List<Object> times = Replies.list(reply.get(3));
        List<Object> stored = Replies.list(reply.get(4));
        List<Object> deliveries = Replies.list(reply.get(5));
        Instant now = Replies.micros(reply.get(1));
        List<MessageSnapshot> messages = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            String id = Replies.text(ids.get(i));
            Instant time = Replies.millis(times.get(i));
            String[] delivery = delivery(deliveries.get(i));
            Envelope envelope = envelope(Replies.bytes(stored.get(i)), delivery);
            messages.add(
                    state == MessageState.LEASED
                            ? leased(topic, id, time, delivery, envelope)
                            : scheduled(topic, id, time, now, delivery, envelope));
        }
        boolean more = Replies.text(reply.get(8)).equals("1");
        return new Listing(
                messages, more ? new Listing.Place(Replies.number(reply.get(6)), Replies.text(reply.get(7))) : null);
    }

    private static Envelope envelope(byte[] stored, String[] delivery) {
        try {
            return EnvelopeFormat.read(stored);
        } catch (UnreadableMessageException e) {
            delivery[FAILURE] = String.valueOf(e.getMessage());
            return EnvelopeFormat.asItIs(stored);
        }
    }

    private static MessageSnapshot scheduled(
            String topic, String id, Instant due, Instant now, String[] delivery, Envelope envelope) {
        MessageState state = due.isAfter(now) ? MessageState.SCHEDULED : MessageState.READY;
        return new MessageSnapshot(topic, id, state, due, attempts(delivery), null, null, failure(delivery), envelope);
    }

    private static MessageSnapshot leased(
            String topic, String id, Instant leaseEnd, String[] delivery, Envelope envelope) {
        return new MessageSnapshot(
                topic,
                id,
                MessageState.LEASED,
                Instant.ofEpochMilli(Long.parseLong(delivery[2])),
                attempts(delivery),
                holder(delivery[0]),
                leaseEnd,
                failure(delivery),
                envelope);
    }

    private static int attempts(String[] delivery) {
        return Integer.parseInt(delivery[1]);
    }

    private static @Nullable String failure(String[] delivery) {
        return delivery[FAILURE].isEmpty() ? null : delivery[FAILURE];
    }

    private static @Nullable Object part(List<Object> reply, int index) {
        return index < reply.size() ? reply.get(index) : null;
    }

    /** Reads a delivery. A malformed one counts as absent. */
    private static String[] delivery(@Nullable Object part) {
        String stored = part == null ? "" : new String((byte[]) part, UTF_8);
        if (!DELIVERY.matcher(stored).lookingAt()) {
            return new String[] {"-", "0", "0", ""};
        }
        String[] parts = stored.split(" ", 4);
        return parts.length == 4 ? parts : new String[] {parts[0], parts[1], parts[2], ""};
    }

    private static String holder(String token) {
        int end = token.lastIndexOf('-');
        return end > 0 ? token.substring(0, end) : token;
    }
}
