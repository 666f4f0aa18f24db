/**
 * What Redis allows: the product's own scripts, called with bytes that were prepared before the clock starts, over a
 * bare client. Ids, keys and arguments are the product's, recorded beneath its template and its store.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.floor.Floor}.
 */
@NullMarked
package io.delayqueue.benchmark.floor;

import org.jspecify.annotations.NullMarked;
