package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.store.EnvelopeFormat;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the reply of {@code find.lua}. */
final class SnapshotReply {

    /** Token, attempts, due; then the failure. */
    private static final Pattern DELIVERY = Pattern.compile("\\S+ \\d{1,9} \\d{1,16}(?= |$)");

    private SnapshotReply() {}

    static Optional<MessageSnapshot> read(String topic, String id, List<Object> reply) {
        Object stored = part(reply, 2);
        Object due = part(reply, 3);
        Object leaseEnd = part(reply, 4);
        if (stored == null || (due == null && leaseEnd == null)) {
            return Optional.empty();
        }
        Envelope envelope = EnvelopeFormat.read((byte[]) stored);
        String[] delivery = delivery(part(reply, 5));
        String failure = delivery[3].isEmpty() ? null : delivery[3];
        int attempts = Integer.parseInt(delivery[1]);
        if (due != null) {
            Instant dueAt = Replies.millis(due);
            MessageState state =
                    dueAt.isAfter(Replies.micros(reply.get(1))) ? MessageState.SCHEDULED : MessageState.READY;
            return Optional.of(new MessageSnapshot(topic, id, state, dueAt, attempts, null, null, failure, envelope));
        }
        return Optional.of(new MessageSnapshot(
                topic,
                id,
                MessageState.LEASED,
                Instant.ofEpochMilli(Long.parseLong(delivery[2])),
                attempts,
                holder(delivery[0]),
                Replies.millis(leaseEnd),
                failure,
                envelope));
    }

    private static @Nullable Object part(List<Object> reply, int index) {
        return index < reply.size() ? reply.get(index) : null;
    }

    /** What isn't one counts as none. */
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
