/**
 * Traces and the logging context: interceptors around each send and each handling, which tell Micrometer's observation
 * and SLF4J what is going on. What fails here is logged and hurts no message.
 *
 * <p>Row 5. Applications implement the conventions; {@code autoconfigure} puts the rest into place. Read next:
 * {@link io.delayqueue.metrics.observation.DelayQueueObservation}, which names everything that is told.
 */
@NullMarked
package io.delayqueue.metrics.observation;

import org.jspecify.annotations.NullMarked;
