/**
 * Which trials a run consists of, the Redis they run on, and the JVMs they run in.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.run.Profile}.
 */
@NullMarked
package io.delayqueue.benchmark.run;

import org.jspecify.annotations.NullMarked;
