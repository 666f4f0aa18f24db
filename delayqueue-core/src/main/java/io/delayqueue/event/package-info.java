/**
 * Events for metrics, logs and applications.
 *
 * <p>The engine and the template publish; metrics and applications listen.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
