/**
 * Forwarding to RabbitMQ. Only this package and {@code autoconfigure} use the client library.
 */
@Internal
@NullMarked
package io.delayqueue.forward.rabbit;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
