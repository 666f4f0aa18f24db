package io.delayqueue.redis;

import io.delayqueue.message.Shard.Keys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one queue of one shard. The arrays are shared and must not be changed. {@code sent}, {@code sentUntil},
 * {@code ended}, {@code recurring} and {@code recurrences} are the same keys in both queues of a shard.
 *
 * @param schedule ZSET id → due time, ms
 * @param leases ZSET id → lease end, ms
 * @param messages HASH id → stored message
 * @param deliveries HASH id → token, attempts, due time, last failure
 * @param meta HASH: the shard's identity, its last poll, and the last poll of each consumer
 * @param dead ZSET dead letter id → time of dead-lettering, ms
 * @param deadLetters HASH dead letter id → stored dead letter
 * @param ended STRING, kept for a day: the last deleted epoch of the topic, and whether its dead letters had
 *     notifications
 * @param sent HASH nonce and id → remembered outcome of a send, and the time until which it is remembered
 * @param sentUntil ZSET nonce → time until which a send is remembered, ms
 * @param recurring ZSET of equal scores: ids of recurring messages, see {@code recurring.lua}
 * @param recurrences HASH id of a recurring message → its recurrence
 * @param signal the name of this queue in signals
 * @param order the keys that only a topic whose messages have keys has, see {@code order.lua} and {@code fair.lua}: of a fair
 *     topic, ZSET key → turn; then ZSET of the parked messages in the order of their keys, ZSET id → due time of a parked
 *     message, HASH key → head; empty for other topics, and in the queue of notifications
 * @param notifications keys of the shard's queue of notifications; null if this is that queue
 */
@SuppressWarnings("ArrayRecordComponent") // handed straight to the client library
public record ShardKeys(
        byte[] schedule,
        byte[] leases,
        byte[] messages,
        byte[] deliveries,
        byte[] meta,
        byte[] dead,
        byte[] deadLetters,
        byte[] ended,
        byte[] sent,
        byte[] sentUntil,
        byte[] recurring,
        byte[] recurrences,
        byte[] signal,
        List<byte[]> order,
        @Nullable ShardKeys notifications) {

    static ShardKeys of(String base, String kind, String signal, Keys keys, @Nullable ShardKeys notifications) {
        return new ShardKeys(
                bytes(base + kind + "schedule"),
                bytes(base + kind + "leases"),
                bytes(base + kind + "messages"),
                bytes(base + kind + "deliveries"),
                bytes(base + kind + "meta"),
                bytes(base + kind + "dead"),
                bytes(base + kind + "deadLetters"),
                bytes(base + "ended"),
                bytes(base + "sent"),
                bytes(base + "sent.until"),
                bytes(base + "recurring"),
                bytes(base + "recurrences"),
                bytes(signal),
                Stream.of("active", "parked", "parked.due", "heads")
                        .filter(name -> keys == Keys.FAIR || (keys == Keys.ORDERED && !name.equals("active")))
                        .map(name -> bytes(base + name))
                        .toList(),
                notifications);
    }

    /** The five keys of the queue, in the order of all scripts. */
    public List<byte[]> queue() {
        return List.of(schedule, leases, messages, deliveries, meta);
    }

    /** {@link #queue}, and the remembered outcomes of sends. */
    public List<byte[]> queueWithSent() {
        return joined(queue(), List.of(sent, sentUntil));
    }

    /** {@link #queue}; for the queue of messages also the dead letters. */
    public List<byte[]> withDeadLetters() {
        return notifications == null ? queue() : joined(queue(), List.of(dead, deadLetters));
    }

    /** {@link #queue}; for the queue of messages also the dead letters and the ids of recurring messages. */
    public List<byte[]> counted() {
        return notifications == null ? queue() : joined(queue(), List.of(dead, recurring));
    }

    /** {@link #withDeadLetters}; for the queue of messages also the schedule and messages of the notifications. */
    public List<byte[]> withNewNotifications() {
        return notifications == null
                ? queue()
                : joined(withDeadLetters(), List.of(notifications.schedule, notifications.messages));
    }

    /** {@link #withDeadLetters}; for the queue of messages also the queue of notifications. */
    public List<byte[]> withNotifications() {
        return notifications == null ? queue() : joined(withDeadLetters(), notifications.queue());
    }

    /** {@link #withNotifications}, and the remembered outcomes of sends. */
    public List<byte[]> withSent() {
        return joined(withNotifications(), List.of(sent, sentUntil));
    }

    /** {@link #queue}, and the recurring messages. */
    public List<byte[]> queueWithRecurrences() {
        return joined(queue(), List.of(recurring, recurrences));
    }

    /** All keys. */
    public List<byte[]> all() {
        return joined(withNotifications(), List.of(recurring, recurrences, sent, sentUntil, ended));
    }

    /** Keys, and after them those that only a topic whose messages have keys has. */
    public List<byte[]> withOrder(List<byte[]> keys) {
        return order.isEmpty() ? keys : joined(keys, order);
    }

    private static List<byte[]> joined(List<byte[]> first, List<byte[]> rest) {
        List<byte[]> all = new ArrayList<>(first);
        all.addAll(rest);
        return all;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
