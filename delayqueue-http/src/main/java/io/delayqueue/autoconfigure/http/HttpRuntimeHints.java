package io.delayqueue.autoconfigure.http;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers scripts and the OpenAPI document for native images. */
final class HttpRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/web/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/web/api/openapi.json");
    }
}
