package io.delayqueue.autoconfigure;

import io.delayqueue.Internal;
import io.delayqueue.container.EngineBuilder;

/**
 * Customizes the engine after its properties are applied and before it is built, for example with another executor.
 * Beans of this type are called once, in their order.
 */
@Internal
@FunctionalInterface
public interface EngineCustomizer {

    /** Changes the builder. */
    void customize(EngineBuilder builder);
}
