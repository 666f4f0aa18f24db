/**
 * What is measured, of whom, and what came out: values only.
 *
 * <p>Everything else of the benchmark may use it. Read next: {@link io.delayqueue.benchmark.result.Sample}.
 */
@NullMarked
package io.delayqueue.benchmark.result;

import org.jspecify.annotations.NullMarked;
