package io.delayqueue.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the scripts, and what is read by reflection, into a native image. */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

    /** Does not tell its configuration in any other way. */
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/actuate/dashboard/*");
        hints.resources().registerPattern("io/delayqueue/web/api/openapi.json");
        hints.reflection().registerTypeIfPresent(classLoader, LETTUCE, type -> type.withField("configuration"));
    }
}
