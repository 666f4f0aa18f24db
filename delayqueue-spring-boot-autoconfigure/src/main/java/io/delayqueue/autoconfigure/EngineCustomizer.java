package io.delayqueue.autoconfigure;

import io.delayqueue.container.EngineBuilder;

/**
 * A bean of this type changes how the engine is assembled, after the properties and before it is built: for tests that
 * drive it by hand, or for an executor of one's own. Called once, in the order of the beans.
 */
@FunctionalInterface
public interface EngineCustomizer {

    /** Changes the builder. */
    void customize(EngineBuilder builder);
}
