/**
 * Annotated methods as listeners: {@link io.delayqueue.annotation.DelayListener} and
 * {@link io.delayqueue.annotation.DeadLetterListener}, the post-processor that finds them, and the way from there:
 * endpoint, registrar, container factory, registry.
 *
 * <p>Row 4. Applications use it; how a method is called lies in {@code annotation.method}, what runs it in
 * {@code container}.
 */
@NullMarked
package io.delayqueue.annotation;

import org.jspecify.annotations.NullMarked;
