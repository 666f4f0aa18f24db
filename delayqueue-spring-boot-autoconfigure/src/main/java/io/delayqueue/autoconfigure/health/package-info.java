/**
 * Whether the queue's Redis is fit for it: asked before anything uses it, and, where there is Spring Boot's health
 * support, whenever somebody wants to know.
 *
 * <p>Row 6.
 */
@NullMarked
package io.delayqueue.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
