/**
 * The management model as JSON, for the endpoint, the dashboard and the HTTP API.
 *
 * <p>{@link io.delayqueue.management.ManagementJson} writes the records of {@code admin} as they are. Messages and dead
 * letters are the exception: {@link io.delayqueue.management.MessageDetails} and {@link
 * io.delayqueue.management.DeadLetterDetails} contain what a caller may see of their content. What a caller may not see is
 * removed before a record is written. Used by {@code actuate} and {@code web}.
 */
@Internal
@NullMarked
package io.delayqueue.management;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
