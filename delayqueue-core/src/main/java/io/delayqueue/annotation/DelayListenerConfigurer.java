package io.delayqueue.annotation;

/**
 * Registers listeners by code, or configures how listener methods are called. Beans of this type are called once at
 * the start.
 */
@FunctionalInterface
public interface DelayListenerConfigurer {

    /** Configures listeners. Configurers are called in their order, before annotated methods are registered. */
    void configureDelayListeners(DelayListenerEndpointRegistrar registrar);
}
