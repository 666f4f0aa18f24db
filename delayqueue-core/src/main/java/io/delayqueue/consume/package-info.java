/**
 * What listeners and receivers have in common as consumers of a shard. A {@link io.delayqueue.consume.ShardPoller} polls
 * the shard for a {@link io.delayqueue.consume.Demand}: it settles, renews leases and claims in one round trip, and
 * repeats a poll without a reply. A {@link io.delayqueue.consume.NextPoll} plans the claims. A
 * {@link io.delayqueue.consume.LeasedMessage} is a claimed message under its lease, until it is settled. None of them has
 * a thread.
 *
 * <p>Used by {@code container}, whose demand is a listener, and {@code template.receive}, whose demand are receivers that
 * wait. Read next: {@link io.delayqueue.consume.ShardPoller}.
 */
@Internal
@NullMarked
package io.delayqueue.consume;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
