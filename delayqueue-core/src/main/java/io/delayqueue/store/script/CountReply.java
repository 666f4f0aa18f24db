package io.delayqueue.store.script;

import io.delayqueue.store.PollRequest;
import io.delayqueue.store.ShardCounts;
import java.time.Duration;
import java.util.List;

/** Writes the arguments and reads the reply of {@code count.lua}. */
final class CountReply {

    /**
     * Largest number of due messages that the script reads to find the one that waits longest. A message that was sent
     * with a past due time is before messages that wait longer.
     */
    private static final int MAX_READ = 100;

    private CountReply() {}

    static void write(Arguments arguments) {
        arguments.add(MAX_READ).add(PollRequest.MAX_BYTES);
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
