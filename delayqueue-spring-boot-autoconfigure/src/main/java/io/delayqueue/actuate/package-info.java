/**
 * The queue among the application's management endpoints: what is in it, and what may be done with it, over HTTP.
 *
 * <p>Row 5: used by {@code autoconfigure} only. {@link io.delayqueue.actuate.DelayQueueEndpoint} takes requests,
 * {@code View} and {@code Action} say what there is to ask for, {@code QueueViews} and {@code QueueActions} do it by way of
 * {@code admin}. Read next: {@code actuate.answer} for what comes back, {@code actuate.guard} for what stands before it.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
