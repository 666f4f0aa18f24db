package io.delayqueue.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers for native images the scripts, the dashboard's files, the field that is read by reflection, and the types
 * whose presence is checked by name.
 */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

    /** Its field is read by reflection, because no getter returns the configuration of static masters and replicas. */
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    /** The Redis client, the library that calls suspend functions, Spring Security and Reactor. */
    private static final List<String> OPTIONAL = List.of(
            "io.lettuce.core.RedisClient",
            "kotlinx.coroutines.reactor.MonoKt",
            "org.springframework.security.core.Authentication",
            "reactor.core.scheduler.Schedulers");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/actuate/dashboard/*");
        hints.reflection().registerTypeIfPresent(classLoader, LETTUCE, type -> type.withField("configuration"));
        OPTIONAL.forEach(type -> hints.reflection().registerTypeIfPresent(classLoader, type));
    }
}
