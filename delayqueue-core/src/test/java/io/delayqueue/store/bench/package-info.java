/**
 * Support for tests of the store: a real Redis with a clock set by the test, scripts that fail midway or run twice, and
 * the exact state of a shard to write and to compare. Start with {@link io.delayqueue.store.bench.StoreBench}.
 */
@NullMarked
package io.delayqueue.store.bench;

import org.jspecify.annotations.NullMarked;
