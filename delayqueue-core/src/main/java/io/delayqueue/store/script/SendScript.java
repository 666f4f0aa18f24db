package io.delayqueue.store.script;

import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** Writes the arguments and reads the reply of {@code send.lua}. */
final class SendScript {

    static final LuaScript SCRIPT = LuaScript.beside(SendScript.class, "send");

    private static final byte ACCEPTED = 'a';
    private static final byte SAME = 's';
    private static final byte FULL = 'f';
    private static final byte ACCEPTED_LATER = 'l';
    private static final byte REPLACED_LATER = 'm';

    private SendScript() {}

    static List<byte[]> keys(ShardKeys keys, List<OutgoingMessage> messages) {
        return messages.stream().anyMatch(message -> message.memory() != null) ? keys.queueWithSent() : keys.queue();
    }

    static void write(ScriptCall call, List<OutgoingMessage> messages) {
        byte[] modes = modes(messages);
        Due first = messages.get(0).due();
        boolean oneDue = modes.length == 0
                && messages.stream().allMatch(message -> message.due().equals(first));
        call.add(messages.size()).add(modes);
        messages.forEach(message -> call.add(message.id()));
        (oneDue ? messages.subList(0, 1) : messages).forEach(message -> call.add(due(message.due())));
        messages.forEach(message -> call.add(message.rest()));
        for (int i = 0; i < messages.size(); i++) {
            Memory memory = messages.get(i).memory();
            if (memory != null) {
                call.add(i + 1).add(memory.nonce()).add(memory.time().toMillis());
            }
        }
    }

    /** The modes of the messages; empty if all are rejected as duplicates and no outcome is to be remembered. */
    private static byte[] modes(List<OutgoingMessage> messages) {
        byte[] modes = new byte[messages.size()];
        boolean plain = true;
        for (int i = 0; i < modes.length; i++) {
            OutgoingMessage message = messages.get(i);
            modes[i] = mode(message);
            plain &= modes[i] == 'r' && message.memory() == null;
        }
        return plain ? new byte[0] : modes;
    }

    static String due(Due due) {
        long millis = EnvelopeFormat.millis(due);
        return due.relative() ? "+" + millis : Long.toString(millis);
    }

    private static byte mode(OutgoingMessage message) {
        if (message.due().isDebounced()) {
            return 'b';
        }
        return switch (message.onDuplicate()) {
            case REJECT -> 'r';
            case KEEP -> 'k';
            case REPLACE -> 'p';
            case AFTER_RUNNING -> 'a';
        };
    }

    static List<SendReply> read(List<OutgoingMessage> messages, List<Object> reply, Durability durability) {
        RedisCallException unconfirmed = Replies.unconfirmed(reply, durability);
        long now = Replies.number(reply.get(1)) / 1000;
        boolean allAccepted = reply.size() < (durability.isNone() ? 3 : 4);
        byte[] outcomes = allAccepted ? new byte[0] : Replies.bytes(reply.get(2));
        Iterator<Object> numbers = allAccepted
                ? Collections.emptyIterator()
                : Replies.list(reply.get(3)).iterator();
        List<SendReply> results = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            Due due = messages.get(i).due();
            byte outcome = allAccepted ? ACCEPTED : outcomes[i];
            boolean repeated = outcome == SAME || isRemembered(outcome);
            long limit = outcome == FULL ? Replies.number(numbers.next()) : 0;
            boolean told = repeated
                    || outcome == ACCEPTED_LATER
                    || outcome == REPLACED_LATER
                    || (due.isDebounced() && outcome != FULL);
            long millis =
                    told ? Replies.number(numbers.next()) : EnvelopeFormat.millis(due) + (due.relative() ? now : 0);
            results.add(new SendReply(outcome(outcome), Instant.ofEpochMilli(millis), repeated, limit, unconfirmed));
        }
        return results;
    }

    private static boolean isRemembered(byte code) {
        return code >= 'A' && code <= 'Z';
    }

    private static Outcome outcome(byte code) {
        return switch (isRemembered(code) ? code - 'A' + 'a' : code) {
            case ACCEPTED, SAME, ACCEPTED_LATER -> Outcome.ACCEPTED;
            case 'r', REPLACED_LATER -> Outcome.REPLACED;
            case 'k' -> Outcome.KEPT;
            case 'd' -> Outcome.DUPLICATE;
            case FULL -> Outcome.FULL;
            default -> throw new IllegalStateException("send.lua replied with the unknown outcome " + (char) code);
        };
    }
}
