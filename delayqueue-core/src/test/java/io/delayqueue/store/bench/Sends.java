package io.delayqueue.store.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates messages to send. By default, the nonce is {@code n}, the payload is the id, and duplicates are rejected. */
public final class Sends {

    private Sends() {}

    /** A message due at a time, in milliseconds since 1970. */
    public static OutgoingMessage at(String id, long due) {
        return message(id, new Due(due, false), OnDuplicate.REJECT, "n");
    }

    /** A message due after a delay in milliseconds. */
    public static OutgoingMessage after(String id, long delay) {
        return message(id, new Due(delay, true), OnDuplicate.REJECT, "n");
    }

    /** A message with a duplicate mode and a nonce. */
    public static OutgoingMessage message(String id, Due due, OnDuplicate mode, String nonce) {
        return OutgoingMessage.of(id, due, mode, nonce, MessageLimits.NONE, null, Map.of(), id.getBytes(UTF_8));
    }

    /** A message with a key. */
    public static OutgoingMessage keyed(String id, @Nullable String key, Due due, OnDuplicate mode, String nonce) {
        return OutgoingMessage.of(id, due, mode, nonce, MessageLimits.NONE, key, Map.of(), id.getBytes(UTF_8));
    }

    /** A message with limits. */
    public static OutgoingMessage limited(String id, long due, MessageLimits limits) {
        return OutgoingMessage.of(
                id, new Due(due, false), OnDuplicate.REJECT, "n", limits, null, Map.of(), id.getBytes(UTF_8));
    }

    /** Returns the message remembered for one minute, with its id as the nonce. */
    public static OutgoingMessage remembered(OutgoingMessage message) {
        return message.remembered(new OutgoingMessage.Memory(message.id(), Duration.ofMinutes(1)));
    }

    /** A message with a payload of {@code bytes} bytes. */
    public static OutgoingMessage large(String id, long due, int bytes) {
        return OutgoingMessage.of(
                id, new Due(due, false), OnDuplicate.REJECT, "n", MessageLimits.NONE, null, Map.of(), new byte[bytes]);
    }

    /** The expected reply to the send of one message. */
    public static List<SendReply> reply(Outcome outcome, long due) {
        return reply(outcome, due, false);
    }

    /** The expected reply to the repeated send of one message. */
    public static List<SendReply> repeated(Outcome outcome, long due) {
        return reply(outcome, due, true);
    }

    private static List<SendReply> reply(Outcome outcome, long due, boolean repeated) {
        return List.of(new SendReply(outcome, Instant.ofEpochMilli(due), repeated, 0, null));
    }
}
