package io.delayqueue.autoconfigure.forward;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the method that returns RabbitMQ's addresses for native images. */
final class RabbitRuntimeHints implements RuntimeHintsRegistrar {

    private static final String CONNECTION_FACTORY =
            "org.springframework.amqp.rabbit.connection.AbstractConnectionFactory";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        CONNECTION_FACTORY,
                        type -> type.withMethod("getAddresses", List.of(), ExecutableMode.INVOKE));
    }
}
