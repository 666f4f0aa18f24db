package io.delayqueue.autoconfigure.http;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers for native images scripts, the OpenAPI document, and the types whose presence is checked by name. */
final class HttpRuntimeHints implements RuntimeHintsRegistrar {

    private static final List<String> OPTIONAL = List.of(
            "org.apache.catalina.connector.RequestFacade",
            "org.eclipse.jetty.ee11.servlet.HttpInput",
            "org.springframework.security.core.Authentication");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/web/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/web/api/openapi.json");
        OPTIONAL.forEach(type -> hints.reflection().registerTypeIfPresent(classLoader, type));
    }
}
