/**
 * The report of a run: a file with its numbers, a summary over the rounds, the goals, a document and charts.
 *
 * <p>The package depends on {@link io.delayqueue.benchmark.result} only, so that a report can be created again from the
 * file of a run. Read next: {@link io.delayqueue.benchmark.report.Reports}.
 */
@NullMarked
package io.delayqueue.benchmark.report;

import org.jspecify.annotations.NullMarked;
