package io.delayqueue.benchmark.floor;

import io.delayqueue.redis.LuaScript;
import java.util.List;

/**
 * Calls of one script, ready to be sent again.
 *
 * @param script which
 * @param calls in their order
 */
public record Recording(LuaScript script, List<Call> calls) {

    /** How many messages they send; 0 for steps. */
    public int messages() {
        return calls.stream().mapToInt(Call::messages).sum();
    }
}
