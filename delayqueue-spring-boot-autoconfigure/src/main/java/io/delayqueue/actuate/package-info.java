/**
 * The management endpoint of the queue: views of its content and administrative actions over HTTP.
 *
 * <p>{@link io.delayqueue.actuate.DelayQueueEndpoint} handles requests, {@code Operation} lists the views and actions, and
 * {@code QueueViews} and {@code QueueActions} implement them with {@code admin}. Read next: {@code management} for the
 * form of responses and {@code actuate.guard} for the filters of requests.
 */
@Internal
@NullMarked
package io.delayqueue.actuate;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
