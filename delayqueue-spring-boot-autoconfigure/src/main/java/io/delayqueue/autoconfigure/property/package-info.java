/** Properties of what stands beside the queue itself. Read next: {@link io.delayqueue.autoconfigure.DelayQueueProperties}. */
@NullMarked
package io.delayqueue.autoconfigure.property;

import org.jspecify.annotations.NullMarked;
