package io.delayqueue.test.junit;

import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.Arrays;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.StringUtils;

/**
 * Implements {@link EmbeddedRedis}. If registered without the annotation, provides the shared server.
 *
 * <p>JUnit's stores hold the servers: the shared server until the end of the run, a dedicated server until the end of
 * its class.
 */
final class RedisServerExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(RedisServerExtension.class);

    private static final String SHARED = "shared";

    private static final String IN_USE = "in use";

    /** Created by JUnit. */
    public RedisServerExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        EmbeddedRedis wanted =
                AnnotatedElementUtils.findMergedAnnotation(context.getRequiredTestClass(), EmbeddedRedis.class);
        if (wanted == null && store.get(IN_USE) != null) {
            return; // A nested class uses the server of the enclosing class.
        }
        if (wanted != null && (wanted.dedicated() || wanted.settings().length > 0)) {
            store.put(IN_USE, start(wanted.settings()));
        } else {
            store.put(IN_USE, new Shared(sharedServer(context)));
        }
    }

    private static RedisServerProcess sharedServer(ExtensionContext context) {
        RedisServerProcess server = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(SHARED, (key) -> RedisServerProcess.start(), RedisServerProcess.class);
        if (!server.isRunning()) {
            server.restart();
        }
        server.flush();
        return server;
    }

    private static RedisServerProcess start(String... settings) {
        RedisServerBuilder builder = RedisServerProcess.builder();
        for (String setting : settings) {
            String[] words = StringUtils.tokenizeToStringArray(setting, " \t");
            builder.setting(words[0], Arrays.copyOfRange(words, 1, words.length));
        }
        return builder.start();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RedisServerProcess.class;
    }

    @Override
    public RedisServerProcess resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Object server = context.getStore(NAMESPACE).get(IN_USE);
        if (server instanceof Shared shared) {
            return shared.server();
        }
        if (server instanceof RedisServerProcess dedicated) {
            return dedicated;
        }
        throw new ParameterResolutionException("No Redis server was started for this test class");
    }

    /** Wraps the shared server, so that the store of a class does not close it. */
    private record Shared(RedisServerProcess server) {}
}
