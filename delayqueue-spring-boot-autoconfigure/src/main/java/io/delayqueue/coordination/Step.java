package io.delayqueue.coordination;

import java.time.Duration;

/**
 * A piece of periodic work. It is never run twice at a time.
 *
 * <p>What it throws is logged, without flooding, and it is called again after a back-off of at most a second.
 */
@FunctionalInterface
public interface Step {

    /**
     * Does what is to be done now. May block for a command to Redis, for nothing else.
     *
     * @return how long to wait before the next call, unless it is woken; zero for at once
     */
    Duration step() throws Exception;
}
