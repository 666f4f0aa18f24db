/**
 * What a run says to a reader: its numbers as a file, a summary over the rounds, the goals, a document and pictures.
 *
 * <p>It knows {@link io.delayqueue.benchmark.result} only, so that a report can be made again from the file of a run.
 * Start at {@link io.delayqueue.benchmark.report.Reports}.
 */
@NullMarked
package io.delayqueue.benchmark.report;

import org.jspecify.annotations.NullMarked;
