/**
 * Checks at startup whether the Redis of the queue is configured correctly, and auto-configures the health indicator.
 *
 * <p>Row 6.
 */
@NullMarked
package io.delayqueue.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
