package io.delayqueue.annotation;

import io.delayqueue.listener.ManagedListener;

/**
 * Makes what runs a listener. The auto-configuration has one, the bean {@code delayListenerContainerFactory}; a listener
 * may name another bean. Must be thread-safe.
 */
@FunctionalInterface
public interface DelayListenerContainerFactory {

    /**
     * Makes a container, which is not started yet.
     *
     * @throws IllegalArgumentException if the endpoint's options or topic are invalid
     */
    ManagedListener createContainer(DelayListenerEndpoint endpoint);
}
