/**
 * What happened, as facts, for whoever wants to count, log or react.
 *
 * <p>Row 1. The engine and the template tell; metrics and applications listen.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
