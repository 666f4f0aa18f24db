package io.delayqueue.annotation;

import io.delayqueue.listener.ManagedListener;

/**
 * Creates listener containers. The auto-configured bean is {@code delayListenerContainerFactory}; a listener may name
 * another one. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface DelayListenerContainerFactory {

    /**
     * Creates a container, which is not yet started.
     *
     * @throws IllegalArgumentException if the topic or an option of the endpoint is invalid
     */
    ManagedListener createContainer(DelayListenerEndpoint endpoint);
}
