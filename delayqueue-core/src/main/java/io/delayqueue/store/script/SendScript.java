package io.delayqueue.store.script;

import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
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
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the arguments and reads the reply of {@code send.lua}. */
final class SendScript {

    static final LuaScript SCRIPT = LuaScript.beside(SendScript.class, "send");

    private static final byte SAME = 's';

    private SendScript() {}

    static List<byte[]> keys(ShardKeys keys, List<OutgoingMessage> messages) {
        return messages.stream().anyMatch(message -> message.memory() != null) ? keys.queueWithSent() : keys.queue();
    }

    static void write(ScriptCall call, List<OutgoingMessage> messages) {
        byte[] modes = new byte[messages.size()];
        for (int i = 0; i < modes.length; i++) {
            modes[i] = mode(messages.get(i).onDuplicate());
        }
        call.add(modes.length).add(modes);
        messages.forEach(message -> call.add(message.id()));
        messages.forEach(message -> call.add(due(message.due())));
        messages.forEach(message -> call.add(message.rest()));
        for (int i = 0; i < modes.length; i++) {
            Memory memory = messages.get(i).memory();
            if (memory != null) {
                call.add(i + 1).add(memory.nonce()).add(memory.time().toMillis());
            }
        }
    }

    static String due(Due due) {
        long millis = EnvelopeFormat.millis(due);
        return due.relative() ? "+" + millis : Long.toString(millis);
    }

    private static byte mode(OnDuplicate onDuplicate) {
        return switch (onDuplicate) {
            case REJECT -> 'r';
            case KEEP -> 'k';
            case REPLACE -> 'p';
        };
    }

    static List<SendReply> read(
            List<OutgoingMessage> messages, List<Object> reply, @Nullable RedisCallException unconfirmed) {
        Instant now = Replies.micros(reply.get(1));
        byte[] outcomes = Replies.bytes(reply.get(2));
        Iterator<Object> first = Replies.list(reply.get(3)).iterator();
        List<SendReply> results = new ArrayList<>(outcomes.length);
        for (int i = 0; i < outcomes.length; i++) {
            Due due = messages.get(i).due();
            boolean repeated = outcomes[i] == SAME || isRemembered(outcomes[i]);
            long millis = repeated
                    ? Replies.number(first.next())
                    : EnvelopeFormat.millis(due) + (due.relative() ? now.toEpochMilli() : 0);
            results.add(new SendReply(outcome(outcomes[i]), Instant.ofEpochMilli(millis), repeated, unconfirmed));
        }
        return results;
    }

    private static boolean isRemembered(byte code) {
        return code >= 'A' && code <= 'Z';
    }

    private static Outcome outcome(byte code) {
        return switch (isRemembered(code) ? code - 'A' + 'a' : code) {
            case 'a', SAME -> Outcome.ACCEPTED;
            case 'r' -> Outcome.REPLACED;
            case 'k' -> Outcome.KEPT;
            case 'd' -> Outcome.DUPLICATE;
            default -> throw new IllegalStateException("send.lua replied with the unknown outcome " + (char) code);
        };
    }
}
