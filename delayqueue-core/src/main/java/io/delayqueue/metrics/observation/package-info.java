/**
 * Traces and the logging context: observers of sends, receive calls and handlers for Micrometer's observations and
 * SLF4J's MDC. Failures here are logged and affect no message.
 *
 * <p>Applications implement the conventions; {@code autoconfigure} configures the rest. Read next:
 * {@link io.delayqueue.metrics.observation.DelayQueueObservation}, which names all observations and keys.
 */
@NullMarked
package io.delayqueue.metrics.observation;

import org.jspecify.annotations.NullMarked;
