/**
 * The trials of a run, their Redis servers and their JVMs.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.run.Profile}.
 */
@NullMarked
package io.delayqueue.benchmark.run;

import org.jspecify.annotations.NullMarked;
