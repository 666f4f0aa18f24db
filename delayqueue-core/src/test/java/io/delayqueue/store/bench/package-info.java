/**
 * What the tests of the store stand on: a real Redis whose clock they drive, scripts that are stopped or run twice,
 * and the exact state of a shard to set and to compare.
 *
 * <p>Read next: {@link io.delayqueue.store.bench.StoreBench}.
 */
@NullMarked
package io.delayqueue.store.bench;

import org.jspecify.annotations.NullMarked;
