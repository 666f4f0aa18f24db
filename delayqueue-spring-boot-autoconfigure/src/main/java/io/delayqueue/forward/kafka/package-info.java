/**
 * Forwarding to Kafka; the only package besides {@code autoconfigure} that sees its client.
 *
 * <p>Row 5: used by {@code autoconfigure} only.
 */
@NullMarked
package io.delayqueue.forward.kafka;

import org.jspecify.annotations.NullMarked;
