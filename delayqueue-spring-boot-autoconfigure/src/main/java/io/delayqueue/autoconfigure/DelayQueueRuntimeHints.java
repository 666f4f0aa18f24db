package io.delayqueue.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Adds the scripts, the dashboard's files and the field that is read by reflection to a native image. */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

    /** Its field is read by reflection, because no getter returns the configuration of static masters and replicas. */
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/actuate/dashboard/*");
        hints.reflection().registerTypeIfPresent(classLoader, LETTUCE, type -> type.withField("configuration"));
    }
}
