package io.delayqueue.store.script;

import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.StepRequest;
import java.time.Duration;
import java.util.List;

/** Speaks with {@code count.lua}. */
final class CountReply {

    /** Who is sent with a due time that has passed stands before others who wait longer; among so many they are found. */
    private static final int LOOKED_AT = 100;

    private CountReply() {}

    static void ask(Arguments arguments) {
        arguments.add(LOOKED_AT).add(StepRequest.MAX_BYTES);
    }

    static ShardCounts read(List<Object> reply) {
        long ready = Replies.number(reply.get(3));
        return new ShardCounts(
                Replies.number(reply.get(2)),
                ready,
                Replies.number(reply.get(4)),
                Replies.number(reply.get(5)),
                ready == 0
                        ? Duration.ZERO
                        : Duration.between(Replies.millis(reply.get(6)), Replies.micros(reply.get(1))));
    }
}
