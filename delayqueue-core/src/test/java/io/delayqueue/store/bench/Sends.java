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

/** Messages to send. Unless told otherwise the nonce is {@code n}, the payload the id, and a duplicate is rejected. */
public final class Sends {

    private Sends() {}

    /** Due at a date. */
    public static OutgoingMessage at(String id, long due) {
        return message(id, new Due(due, false), OnDuplicate.REJECT, "n");
    }

    /** Due after a delay. */
    public static OutgoingMessage after(String id, long delay) {
        return message(id, new Due(delay, true), OnDuplicate.REJECT, "n");
    }

    /** With its own nonce. */
    public static OutgoingMessage message(String id, Due due, OnDuplicate mode, String nonce) {
        return OutgoingMessage.of(id, due, mode, nonce, MessageLimits.NONE, Map.of(), id.getBytes(UTF_8));
    }

    /** With limits. */
    public static OutgoingMessage limited(String id, long due, MessageLimits limits) {
        return OutgoingMessage.of(
                id, new Due(due, false), OnDuplicate.REJECT, "n", limits, Map.of(), id.getBytes(UTF_8));
    }

    /** The same, remembered for a minute by a nonce like its id. */
    public static OutgoingMessage remembered(OutgoingMessage message) {
        return message.remembered(new OutgoingMessage.Memory(message.id(), Duration.ofMinutes(1)));
    }

    /** With a payload of a size. */
    public static OutgoingMessage large(String id, long due, int bytes) {
        return OutgoingMessage.of(
                id, new Due(due, false), OnDuplicate.REJECT, "n", MessageLimits.NONE, Map.of(), new byte[bytes]);
    }

    /** The reply to a send of one. */
    public static List<SendReply> reply(Outcome outcome, long due) {
        return reply(outcome, due, false);
    }

    /** The reply to the repeat of a send of one. */
    public static List<SendReply> repeated(Outcome outcome, long due) {
        return reply(outcome, due, true);
    }

    private static List<SendReply> reply(Outcome outcome, long due, boolean repeated) {
        return List.of(new SendReply(outcome, Instant.ofEpochMilli(due), repeated));
    }
}
