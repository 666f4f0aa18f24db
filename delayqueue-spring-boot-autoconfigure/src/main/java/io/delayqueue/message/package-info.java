/**
 * The values that everything else speaks of: a message, its due time, the shard it lives in, its lease, and what
 * became of a call. Nothing here talks to Redis, holds a lock or reads a clock; every type is immutable and safe to
 * share between threads.
 *
 * <p>Row 0 of the package table: any package may use it, and it uses none. Read next:
 * {@link io.delayqueue.message.DelayMessage}, then {@code io.delayqueue.store}.
 */
@NullMarked
package io.delayqueue.message;

import org.jspecify.annotations.NullMarked;
