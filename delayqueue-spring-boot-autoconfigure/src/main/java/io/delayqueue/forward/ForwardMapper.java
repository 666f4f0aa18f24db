package io.delayqueue.forward;

import io.delayqueue.listener.Delivery;

/**
 * Changes what a broker gets. Beans of this type are called for each forwarded message, in their order; the first one gets
 * what the standard mapping made. Must be thread-safe. What it throws is a failed attempt.
 *
 * <pre>{@code
 * @Bean
 * ForwardMapper tagsAreRoutingKeys() {
 *     return (mapped, delivery, route) -> mapped.toBuilder().routingKey(delivery.headers().get("tags")).build();
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ForwardMapper {

    /**
     * Maps a message.
     *
     * @param mapped what it is so far
     * @param delivery what it was made of
     * @param route where it goes
     * @return what it shall be
     */
    ForwardedMessage map(ForwardedMessage mapped, Delivery delivery, Route route);
}
