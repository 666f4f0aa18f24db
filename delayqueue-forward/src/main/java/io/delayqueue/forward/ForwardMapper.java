package io.delayqueue.forward;

import io.delayqueue.listener.Delivery;

/**
 * Customizes forwarded messages. Beans of this type are called in their order for each forwarded message. The first
 * mapper receives the result of the standard mapping. Implementations must be thread-safe. If a mapper throws an
 * exception, the attempt fails.
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
     * @param mapped the result of the previous mapper
     * @param delivery the delivery that is forwarded
     * @param route the route of the delivery
     * @return the message to forward, not null
     */
    ForwardedMessage map(ForwardedMessage mapped, Delivery delivery, Route route);
}
