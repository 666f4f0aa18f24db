/**
 * How a method becomes a handler: what its signature asks for, how its arguments are found, what its result means.
 * Nothing here knows the annotations that mark a listener.
 *
 * <p>Row 4, used by {@code annotation} alone. Read next: {@link io.delayqueue.annotation.method.ListenerMethods}.
 */
@NullMarked
package io.delayqueue.annotation.method;

import org.jspecify.annotations.NullMarked;
