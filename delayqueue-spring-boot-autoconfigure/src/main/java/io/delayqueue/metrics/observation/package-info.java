/**
 * The logging context: an interceptor around each handling, which tells SLF4J what is going on.
 *
 * <p>Row 5. {@code autoconfigure} puts it into place.
 */
@NullMarked
package io.delayqueue.metrics.observation;

import org.jspecify.annotations.NullMarked;
