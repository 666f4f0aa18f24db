/**
 * Properties of listeners, topics, forwards and the HTTP interfaces. Read next:
 * {@link io.delayqueue.autoconfigure.DelayQueueProperties}.
 */
@Internal
@NullMarked
package io.delayqueue.autoconfigure.property;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
