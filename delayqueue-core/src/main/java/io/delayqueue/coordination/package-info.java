/**
 * Coordination of nodes: membership by heartbeats, the reports of nodes, shard assignment, and pauses of
 * listeners. Also periodic tasks, which set the delay before their next run; {@code RedisTask} is the base of those that call Redis.
 *
 * <p>A sweep is a poll that no signal asks for: it finds due messages and ended leases even if signals are lost. Each
 * shard is assigned to one of the nodes that consume it, and this node sweeps it: it polls at the latest after the sweep
 * interval. Another node polls the shard if a poller left due messages, and a sweep interval after a known message was
 * due. Receivers sweep the shards of the topics for which they wait.
 *
 * <p>This package owns no threads; {@code container} implements the scheduler of periodic tasks.
 *
 * <p>Used by {@code template}, {@code container} and higher layers. Read next:
 * {@code Membership}, then {@code ShardAssigner} and {@code PeriodicTask}.
 */
@Internal
@NullMarked
package io.delayqueue.coordination;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
