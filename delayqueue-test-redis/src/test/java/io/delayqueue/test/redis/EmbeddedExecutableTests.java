package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmbeddedExecutableTests {

    /** Neither Guava, Commons IO nor JSR 305, which the library brings, and no other library either. */
    @Test
    void serverStartsWithTheJarOfTheExecutablesOnly() throws Exception {
        URL executables = Class.forName(
                        "redis.embedded.RedisServer", false, getClass().getClassLoader())
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        URL classes =
                RedisServerProcess.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes, executables}, ClassLoader.getPlatformClassLoader())) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> loader.loadClass("org.springframework.core.SpringVersion"));
            Class<?> type = loader.loadClass(RedisServerProcess.class.getName());
            assertThat(type).isNotSameAs(RedisServerProcess.class);
            try (AutoCloseable server = (AutoCloseable) type.getMethod("start").invoke(null)) {
                assertThat(type.getMethod("isRunning").invoke(server)).isEqualTo(true);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, redis-server-7.0.15-linux-amd64",
        "Linux, aarch64, redis-server-7.0.15-linux-arm64",
        "Linux, i386, redis-server-7.0.15-linux-386",
        "Mac OS X, x86_64, redis-server-7.0.15-darwin-amd64",
        "Mac OS X, aarch64, redis-server-7.0.15-darwin-arm64"
    })
    void eachPlatformHasItsExecutable(String system, String processor, String name) {
        assertThat(EmbeddedExecutable.name(system, processor)).isEqualTo(name);
        assertThat(getClass().getResource("/" + name)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Linux, s390x", "Mac OS X, x86"})
    void otherPlatformsHaveNone(String system, String processor) {
        assertThat(EmbeddedExecutable.name(system, processor)).isNull();
    }
}
