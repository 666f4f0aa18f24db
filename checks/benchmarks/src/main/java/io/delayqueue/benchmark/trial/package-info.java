/**
 * One measurement in a separate JVM.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.trial.Trial}, which the benchmark starts with a
 * {@link io.delayqueue.benchmark.trial.TrialSpec}.
 */
@NullMarked
package io.delayqueue.benchmark.trial;

import org.jspecify.annotations.NullMarked;
