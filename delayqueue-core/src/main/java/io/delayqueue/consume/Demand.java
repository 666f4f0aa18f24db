package io.delayqueue.consume;

import io.delayqueue.store.PollReply;
import io.delayqueue.store.ShardSession.Poll;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ShardPoller} polls for: the workers of a listener, or waiting receivers. It decides when to poll and
 * how many messages a poll claims, and takes what the poll has claimed. Only the runs of the poller call it, unless
 * stated otherwise.
 */
public interface Demand {

    /** Begins a poll of the session if there is a reason to poll, and returns it. */
    @Nullable
    Poll begin();

    /** Applies a reply. The futures of the poll's settlements complete afterwards. */
    void replied(Poll poll, PollReply reply);

    /** The shard's topic is not registered: the poll did nothing, and its settlements are rejected. */
    void unregistered();

    /** Returns how long a poll may stay without a reply before the next run. */
    Duration untilReplied(Poll poll);

    /** Returns the time until the next poll, as far as known now. */
    Duration untilNext();

    /**
     * A poll failed, or a run before or after it.
     *
     * @return whether the failure was passed on to those who wait for the poll; otherwise the poll is repeated unchanged
     *     after a back-off
     */
    boolean failed(Throwable failure);

    /** Called at the start of each run. */
    default void beforeRun() {}

    /** Called at the end of each run. */
    default void afterRun() {}

    /**
     * A message was cancelled or replaced. Any thread may call this.
     *
     * @param id of the message; empty for all messages
     */
    default void cancelledOrReplaced(String id) {}
}
