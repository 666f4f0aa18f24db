package io.delayqueue.store.script;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;

/** Deletes topics that hold nothing. Thread-safe. */
public final class TopicDeletion {

    /** Over the scripts and names of one namespace. */
    public TopicDeletion(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {}

    /**
     * Deletes a topic.
     *
     * @return false if it isn't there
     * @throws IllegalStateException if it holds messages or dead letters
     */
    public boolean delete(String topic) {
        return false;
    }
}
