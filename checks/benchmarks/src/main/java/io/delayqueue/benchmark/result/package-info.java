/**
 * Values of measurements, parties and results.
 *
 * <p>All other packages of the benchmark may use this package. Read next:
 * {@link io.delayqueue.benchmark.result.Sample}.
 */
@NullMarked
package io.delayqueue.benchmark.result;

import org.jspecify.annotations.NullMarked;
