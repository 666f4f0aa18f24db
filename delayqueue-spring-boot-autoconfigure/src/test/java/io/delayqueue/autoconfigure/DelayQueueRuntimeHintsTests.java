package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.security.core.Authentication;
import reactor.core.scheduler.Schedulers;

/** Resources and reflection of a native image. */
class DelayQueueRuntimeHintsTests {

    private final RuntimeHints hints = new RuntimeHints();

    DelayQueueRuntimeHintsTests() {
        new DelayQueueRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void eachScriptIsRegistered() throws IOException {
        List<String> scripts = Arrays.stream(new PathMatchingResourcePatternResolver()
                        .getResources("classpath*:io/delayqueue/store/**/*.lua"))
                .map(DelayQueueRuntimeHintsTests::path)
                .toList();
        assertThat(scripts)
                .isNotEmpty()
                .allMatch(script ->
                        RuntimeHintsPredicates.resource().forResource(script).test(hints));
        assertThat(RuntimeHintsPredicates.resource().forResource("io/delayqueue/coordination/heartbeat.lua"))
                .accepts(hints);
    }

    @Test
    void eachFileOfTheDashboardIsRegistered() throws IOException {
        assertThat(new PathMatchingResourcePatternResolver()
                        .getResources("classpath*:io/delayqueue/actuate/dashboard/*.*s"))
                .isNotEmpty()
                .extracting(DelayQueueRuntimeHintsTests::path)
                .allMatch(file ->
                        RuntimeHintsPredicates.resource().forResource(file).test(hints));
        assertThat(RuntimeHintsPredicates.resource().forResource("io/delayqueue/actuate/dashboard/index.html"))
                .accepts(hints);
    }

    @Test
    void configurationOfLettuceCanBeReadByReflection() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(LettuceConnectionFactory.class.getDeclaredField("configuration")))
                .accepts(hints);
    }

    /** ClassUtils.isPresent finds only registered types in a native image. */
    @Test
    void typesThatMayBeAbsentAreRegistered() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(RedisClient.class)
                        .and(RuntimeHintsPredicates.reflection().onType(Authentication.class))
                        .and(RuntimeHintsPredicates.reflection().onType(Schedulers.class)))
                .accepts(hints);
    }

    private static String path(Resource resource) {
        try {
            String url = resource.getURL().toString();
            return url.substring(url.lastIndexOf("io/delayqueue/"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
