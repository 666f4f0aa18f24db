/**
 * The benchmark: {@link io.delayqueue.benchmark.Benchmark} is its command. {@code result} holds the values that all
 * share, {@code run} starts trials, {@code trial} measures in a JVM of its own, {@code contender} and {@code floor} are
 * what is measured, {@code report} tells.
 */
@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
