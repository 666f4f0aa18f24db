package io.delayqueue.store.script;

import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.SendReply.Result;
import io.delayqueue.store.StepReply;
import java.util.ArrayList;
import java.util.List;

/** Speaks with {@code send.lua}. */
final class SendScript {

    static final LuaScript SCRIPT = LuaScript.beside(SendScript.class, "send");

    private SendScript() {}

    static void write(Arguments arguments, ShardKeys keys, List<OutgoingMessage> messages) {
        arguments.add(keys.signal()).add(messages.size());
        messages.forEach(message -> arguments.add(message.id()));
        messages.forEach(message -> arguments.add(due(message.due())));
        messages.forEach(message -> arguments.add(mode(message.onDuplicate())));
        messages.forEach(message -> arguments.add(message.head()));
        messages.forEach(message -> arguments.add(message.body()));
    }

    static String due(Due due) {
        // half of it for delays, since Redis adds its clock
        long millis = Math.min(due.millis(), due.relative() ? StepReply.NEVER / 2 : StepReply.NEVER - 1);
        return due.relative() ? "+" + millis : Long.toString(millis);
    }

    private static String mode(OnDuplicate onDuplicate) {
        return switch (onDuplicate) {
            case REFUSE -> "r";
            case KEEP -> "k";
            case REPLACE -> "p";
        };
    }

    static SendReply read(List<Object> reply) {
        byte[] outcomes = Replies.bytes(reply.get(2));
        List<Object> dues = Replies.list(reply.get(3));
        List<Result> results = new ArrayList<>(outcomes.length);
        for (int i = 0; i < outcomes.length; i++) {
            results.add(new Result(outcome(outcomes[i]), Replies.millis(dues.get(i))));
        }
        return new SendReply(Replies.micros(reply.get(1)), results);
    }

    private static Outcome outcome(byte code) {
        return switch (code) {
            case 'a' -> Outcome.ACCEPTED;
            case 'r' -> Outcome.REPLACED;
            case 'k' -> Outcome.KEPT;
            case 'd' -> Outcome.DUPLICATE;
            default -> throw new IllegalStateException("send.lua answered with the unknown outcome " + (char) code);
        };
    }
}
