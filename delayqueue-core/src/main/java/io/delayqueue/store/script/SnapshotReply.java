package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageSnapshot.OrderedKey;
import io.delayqueue.message.MessageState;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.Listing;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a live message from the parts of a script's reply. */
final class SnapshotReply {

    /** Token, attempts, postponements, crashes and due time, then a blank and the failed attempts, if any. */
    private static final Pattern DELIVERY = Pattern.compile(
            "(\\S+) (\\d{1,9})(?:p(\\d{1,9}))?(?:/(\\d{1,9})/\\d*)?[!+]? (\\d{1,16})(?: (.*))?", Pattern.DOTALL);

    /** The delivery of a first attempt: the token. */
    private static final Pattern FIRST_ATTEMPT = Pattern.compile("([\\w.]+-\\w+)\\+?");

    /** The score of a suspect minus its due time, see {@code firstdue.lua}. */
    private static final long SUSPECT = 1_000_000_000_000_000L;

    /** The score of a message that a move has taken minus the score before, see {@code taken.lua}. */
    private static final long TAKEN = 4_000_000_000_000_000L;

    /** From this score on, a recurring message is between two occurrences, or paused, see {@code recurring.lua}. */
    private static final long UNARMED = 7_000_000_000_000_000L;

    /** The successor of a recurring message that has no other one. */
    private static final byte RECURS = '@';

    private SnapshotReply() {}

    /**
     * A stored delivery.
     *
     * @param dueAt due time of the message when it was claimed; null if it is that of the stored message
     * @param failures the failed attempts as text; empty if there were none
     * @param successor the stored successor, see {@code successor.lua}; null if there is none
     */
    @SuppressWarnings("ArrayRecordComponent") // read once
    private record Delivery(
            String token,
            int attempts,
            int postponements,
            int crashes,
            @Nullable Instant dueAt,
            String failures,
            byte @Nullable [] successor) {

        /** Reads a delivery. A malformed one counts as absent. */
        static Delivery read(@Nullable Object stored) {
            byte[] delivery = stored == null ? new byte[0] : (byte[]) stored;
            int length = 0;
            while (length < delivery.length && delivery[length] != 0) {
                length++;
            }
            byte[] successor =
                    length == delivery.length ? null : Arrays.copyOfRange(delivery, length + 1, delivery.length);
            String text = new String(delivery, 0, length, UTF_8);
            Matcher first = FIRST_ATTEMPT.matcher(text);
            if (first.matches()) {
                return new Delivery(first.group(1), 1, 0, 0, null, "", successor);
            }
            Matcher matcher = DELIVERY.matcher(text);
            if (!matcher.matches()) {
                return new Delivery("-", 0, 0, 0, Instant.EPOCH, "", successor);
            }
            String failures = matcher.group(6);
            return new Delivery(
                    matcher.group(1),
                    Integer.parseInt(matcher.group(2)),
                    number(matcher.group(3)),
                    number(matcher.group(4)),
                    Instant.ofEpochMilli(Long.parseLong(matcher.group(5))),
                    failures == null ? "" : failures,
                    successor);
        }

        private static int number(@Nullable String digits) {
            return digits == null ? 0 : Integer.parseInt(digits);
        }

        /** The consumer that holds the lease: the token without the number of the poll. */
        String holder() {
            int end = token.lastIndexOf('-');
            return end > 0 ? token.substring(0, end) : token;
        }
    }

    /** Reads a message as {@code live.lua} writes it. For an unreadable message, the last failure is the reason. */
    static Optional<MessageSnapshot> read(String topic, String id, Instant now, List<Object> parts) {
        Object stored = part(parts, 0);
        Object due = part(parts, 1);
        Object leaseEnd = part(parts, 2);
        if (stored == null || (due == null && leaseEnd == null)) {
            return Optional.empty();
        }
        Delivery delivery = Delivery.read(part(parts, 3));
        if (due == null) {
            return Optional.of(leased(topic, id, Replies.millis(leaseEnd), delivery, (byte[]) stored));
        }
        long place = Replies.number(due);
        if (place >= UNARMED) {
            return Optional.empty();
        }
        long score = place >= TAKEN ? place - TAKEN : place;
        return Optional.of(
                score >= SUSPECT
                        ? snapshot(
                                topic,
                                id,
                                MessageState.SUSPECT,
                                false,
                                Instant.ofEpochMilli(score - SUSPECT),
                                delivery,
                                null,
                                null,
                                (byte[]) stored)
                        : scheduled(
                                topic,
                                id,
                                Replies.text(parts.get(4)).equals("1"),
                                Instant.ofEpochMilli(score),
                                now,
                                delivery,
                                (byte[]) stored));
    }

    /** Reads the reply of {@code slowestkeys.lua}. */
    static List<OrderedKey> keys(String topic, List<Object> reply) {
        Instant now = Replies.micros(reply.get(1));
        return Replies.list(reply.get(2)).stream()
                .map(Replies::list)
                .map(key -> new OrderedKey(
                        EnvelopeFormat.unescapeKey(Replies.text(key.get(0))),
                        Replies.number(key.get(1)),
                        Replies.millis(key.get(2)),
                        Replies.text(key.get(3)).equals("1"),
                        read(topic, Replies.text(key.get(4)), now, Replies.list(key.get(5)))
                                .orElse(null)))
                .toList();
    }

    /** Reads the reply of {@code list.lua}. For an unreadable message, the last failure is the reason. */
    static Listing list(String topic, MessageState state, List<Object> reply) {
        List<Object> ids = Replies.list(reply.get(2));
        List<Object> times = Replies.list(reply.get(3));
        List<Object> stored = Replies.list(reply.get(4));
        List<Object> deliveries = Replies.list(reply.get(5));
        byte[] parked = Replies.bytes(reply.get(9));
        Instant now = Replies.micros(reply.get(1));
        List<MessageSnapshot> messages = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            String id = Replies.text(ids.get(i));
            Instant time = Replies.millis(times.get(i));
            Delivery delivery = Delivery.read(deliveries.get(i));
            byte[] message = Replies.bytes(stored.get(i));
            messages.add(
                    switch (state) {
                        case LEASED -> leased(topic, id, time, delivery, message);
                        case SUSPECT -> snapshot(topic, id, state, false, time, delivery, null, null, message);
                        case SCHEDULED, READY -> scheduled(topic, id, parked[i] == '1', time, now, delivery, message);
                    });
        }
        boolean more = Replies.text(reply.get(8)).equals("1");
        return new Listing(
                messages, more ? new Listing.Place(Replies.number(reply.get(6)), Replies.text(reply.get(7))) : null);
    }

    private static MessageSnapshot scheduled(
            String topic, String id, boolean parked, Instant due, Instant now, Delivery delivery, byte[] stored) {
        MessageState state = due.isAfter(now) ? MessageState.SCHEDULED : MessageState.READY;
        return snapshot(topic, id, state, parked, due, delivery, null, null, stored);
    }

    private static MessageSnapshot leased(String topic, String id, Instant leaseEnd, Delivery delivery, byte[] stored) {
        Instant dueAt = delivery.dueAt();
        Instant due = dueAt == null ? Instant.ofEpochMilli(EnvelopeFormat.dueMillis(stored, 0)) : dueAt;
        return snapshot(topic, id, MessageState.LEASED, false, due, delivery, delivery.holder(), leaseEnd, stored);
    }

    private static MessageSnapshot snapshot(
            String topic,
            String id,
            MessageState state,
            boolean parked,
            Instant due,
            Delivery delivery,
            @Nullable String holder,
            @Nullable Instant leaseEnd,
            byte[] stored) {
        Envelope envelope;
        String failure = FailedAttempts.newest(delivery.failures());
        try {
            envelope = EnvelopeFormat.read(stored);
        } catch (UnreadableMessageException e) {
            envelope = EnvelopeFormat.ofUnreadable(stored);
            failure = String.valueOf(e.getMessage());
        }
        return new MessageSnapshot(
                topic,
                id,
                state,
                parked,
                due,
                delivery.attempts(),
                delivery.postponements(),
                delivery.crashes(),
                holder,
                leaseEnd,
                failure,
                FailedAttempts.read(delivery.failures()),
                envelope,
                successor(topic, id, delivery.successor()));
    }

    /** Reads a stored message, or what is known of one that this version cannot read. */
    static Envelope envelope(byte[] stored) {
        try {
            return EnvelopeFormat.read(stored);
        } catch (UnreadableMessageException e) {
            return EnvelopeFormat.ofUnreadable(stored);
        }
    }

    private static @Nullable MessageSnapshot successor(String topic, String id, byte @Nullable [] stored) {
        if (stored == null || stored.length == 0 || stored[0] == RECURS) {
            return null;
        }
        Instant due = Instant.ofEpochMilli(EnvelopeFormat.dueMillis(stored, 0));
        return snapshot(topic, id, MessageState.SCHEDULED, false, due, Delivery.read(null), null, null, stored);
    }

    private static @Nullable Object part(List<Object> reply, int index) {
        return index < reply.size() ? reply.get(index) : null;
    }
}
