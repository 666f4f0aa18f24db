/**
 * What listeners and receivers have in common as consumers of a shard: a {@link io.delayqueue.consume.LeasedMessage} is a
 * claimed message under its lease, until it is settled. It has no thread and sends nothing by itself.
 *
 * <p>Used by {@code container} and {@code template.receive}. Read next: {@link io.delayqueue.consume.LeasedMessage}.
 */
@Internal
@NullMarked
package io.delayqueue.consume;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
