/**
 * Meters, and the sampling of topics that they and the endpoint show.
 *
 * <p>Row 6.
 */
@NullMarked
package io.delayqueue.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
