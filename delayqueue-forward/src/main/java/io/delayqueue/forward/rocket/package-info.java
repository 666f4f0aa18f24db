/** Forwarding to RocketMQ. Read next: {@link io.delayqueue.forward.rocket.RocketBroker}. */
@Internal
@NullMarked
package io.delayqueue.forward.rocket;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
