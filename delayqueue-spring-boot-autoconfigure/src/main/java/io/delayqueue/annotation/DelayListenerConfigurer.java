package io.delayqueue.annotation;

/** A bean of this type registers listeners by code, or says how methods are called. Called once, at the start. */
@FunctionalInterface
public interface DelayListenerConfigurer {

    /** Configures; annotated methods are registered after all configurers were called, in their order. */
    void configureDelayListeners(DelayListenerEndpointRegistrar registrar);
}
