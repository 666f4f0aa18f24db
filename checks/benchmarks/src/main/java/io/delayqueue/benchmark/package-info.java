/**
 * The benchmark: {@link io.delayqueue.benchmark.Benchmark} is its command. {@code result} contains the shared values,
 * {@code run} starts trials, {@code trial} measures in a separate JVM, {@code contender}, {@code floor} and {@code http} are
 * measured, and {@code report} writes the results.
 */
@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
