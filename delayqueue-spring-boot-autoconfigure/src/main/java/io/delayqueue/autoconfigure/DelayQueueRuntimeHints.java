package io.delayqueue.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the scripts, and what is read by reflection, into a native image. */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

    /** Does not tell its configuration in any other way. */
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    /** The same of RabbitMQ's. */
    private static final String RABBIT = "org.springframework.amqp.rabbit.connection.AbstractConnectionFactory";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/delayqueue/**/*.lua");
        hints.resources().registerPattern("io/delayqueue/actuate/dashboard/*");
        hints.resources().registerPattern("io/delayqueue/web/api/openapi.json");
        hints.reflection().registerTypeIfPresent(classLoader, LETTUCE, type -> type.withField("configuration"));
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
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, RABBIT, type -> type.withMethod("getAddresses", List.of(), ExecutableMode.INVOKE));
    }
}
