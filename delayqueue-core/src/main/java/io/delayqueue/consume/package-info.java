/**
 * What listeners and receivers have in common as consumers of a shard. A {@link io.delayqueue.consume.NextPoll} decides when
 * a poller polls. A {@link io.delayqueue.consume.LeasedMessage} is a claimed message under its lease, until it is settled.
 * Neither has a thread or sends anything.
 *
 * <p>Used by {@code container} and {@code template.receive}. Read next: {@link io.delayqueue.consume.LeasedMessage}.
 */
@Internal
@NullMarked
package io.delayqueue.consume;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
