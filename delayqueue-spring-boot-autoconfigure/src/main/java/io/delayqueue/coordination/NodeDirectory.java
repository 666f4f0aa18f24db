package io.delayqueue.coordination;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;

/** Which nodes live and what they consume, and which topics are paused on all of them. Thread-safe. */
public final class NodeDirectory {

    /**
     * Over the scripts and names of one namespace.
     *
     * @param timeout after how long of silence a node counts as dead
     */
    public NodeDirectory(ScriptRunner scripts, KeySpace keySpace, Duration timeout) {}

    /** Pauses a topic on all nodes, whether any of them knows it or not. */
    public void pause(String topic) {}

    /** Ends the pause of a topic. */
    public void resume(String topic) {}
}
