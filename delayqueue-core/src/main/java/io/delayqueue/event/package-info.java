/**
 * Events for metrics, logs and applications.
 *
 * <p>Row 1. The engine and the template publish; metrics and applications listen.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
