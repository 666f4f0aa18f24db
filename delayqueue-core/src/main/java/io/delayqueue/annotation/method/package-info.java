/**
 * Turns methods into handlers: reads their signatures, resolves arguments and interprets results. This package does
 * not depend on the annotations of listeners.
 *
 * <p>Row 4, used only by {@code annotation}. Read next: {@link io.delayqueue.annotation.method.ListenerMethods}.
 */
@Internal
@NullMarked
package io.delayqueue.annotation.method;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
