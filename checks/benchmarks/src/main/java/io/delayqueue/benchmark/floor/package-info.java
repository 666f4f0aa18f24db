/**
 * The floor: the product's scripts, called with a plain Redis client and arguments that are prepared before the
 * measurement. Ids, keys and arguments are recorded from the product's own calls.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.floor.Floor}.
 */
@NullMarked
package io.delayqueue.benchmark.floor;

import org.jspecify.annotations.NullMarked;
