/**
 * Coordination of nodes: membership by heartbeats, shard assignment, and topics that are paused on all nodes. Also
 * periodic tasks, which set the delay before their next run; {@code RedisTask} is the base of those that call Redis.
 *
 * <p>This package owns no threads; {@code container} implements the scheduler of periodic tasks.
 */
@Internal
@NullMarked
package io.delayqueue.coordination;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
