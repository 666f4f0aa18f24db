/**
 * Values of the domain: messages, due times, shards, leases and results of calls. Nothing here calls Redis, holds a
 * lock or reads a clock. All types are thread-safe; all but builders and {@link io.delayqueue.message.SendHistory}
 * are immutable.
 *
 * <p>Row 0 of the package table: every package may use it, and it uses none. Read next: {@link
 * io.delayqueue.message.DelayMessage}, then {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.message;

import org.jspecify.annotations.NullMarked;
