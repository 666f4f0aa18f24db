package io.delayqueue.benchmark.floor;

import io.delayqueue.redis.LuaScript;
import java.util.List;

/**
 * Recorded calls of one script.
 *
 * @param script the script
 * @param calls the calls in their order
 */
public record Recording(LuaScript script, List<RecordedCall> calls) {

    /** The number of messages that the calls send; 0 for polls. */
    public int messages() {
        return calls.stream().mapToInt(RecordedCall::messages).sum();
    }
}
