/**
 * Forwarding to Kafka. Only this package and {@code autoconfigure} use the client library.
 */
@Internal
@NullMarked
package io.delayqueue.forward.kafka;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
