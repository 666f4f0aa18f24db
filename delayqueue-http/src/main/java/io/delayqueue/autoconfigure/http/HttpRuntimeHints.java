package io.delayqueue.autoconfigure.http;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers scripts, the OpenAPI document and Tomcat's reflective members for native images. */
final class HttpRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/web/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/web/api/openapi.json");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, "org.apache.catalina.connector.RequestFacade", type -> type.withField("request"));
        hints.reflection()
                .registerTypeIfPresent(classLoader, "org.apache.coyote.Request", type -> type.withField("hook"));
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.apache.coyote.AbstractProcessor",
                        type -> type.withMethod("getSocketWrapper", List.of(), ExecutableMode.INVOKE));
    }
}
