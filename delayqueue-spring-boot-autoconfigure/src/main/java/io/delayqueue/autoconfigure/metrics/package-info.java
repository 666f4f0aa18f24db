/**
 * Auto-configures the meters and the sampling of topics, whose results the meters and the endpoint show.
 */
@NullMarked
package io.delayqueue.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
