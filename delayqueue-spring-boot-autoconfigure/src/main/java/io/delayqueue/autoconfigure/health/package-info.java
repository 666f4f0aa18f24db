/**
 * Checks at startup whether the Redis of the queue is configured correctly, and auto-configures the health indicator.
 */
@NullMarked
package io.delayqueue.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
