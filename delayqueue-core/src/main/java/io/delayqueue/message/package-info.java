/**
 * Values of the domain: messages, due times, shards, leases and results of calls. Nothing here calls Redis, holds a
 * lock or reads a clock. All types are thread-safe; all but builders and {@link io.delayqueue.message.SendHistory}
 * are immutable.
 *
 * <p>Every package may use this package; it uses no other package of the queue. Read next: {@link
 * io.delayqueue.message.DelayMessage}, then {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.message;

import org.jspecify.annotations.NullMarked;
