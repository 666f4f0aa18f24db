package io.delayqueue.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the scripts into a native image. */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/*.lua");
        hints.resources().registerPattern("io/delayqueue/**/*.lua");
    }
}
