package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The Redis executables in the jar of {@code org.signal:embedded-redis}. The classes of that jar are not used, because they
 * need Guava and Commons IO on the class path of each application that is tested.
 */
final class EmbeddedExecutable {

    private static final String VERSION = "7.0.15";

    private EmbeddedExecutable() {}

    /**
     * Opens the executable for this platform.
     *
     * @throws NoRedisExecutableException if there is none
     */
    static InputStream open() throws IOException {
        String system = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        String name = name(system, processor);
        if (name == null) {
            throw new NoRedisExecutableException(
                    "There is no embedded Redis for %s on %s".formatted(system, processor));
        }
        InputStream executable = EmbeddedExecutable.class.getResourceAsStream("/" + name);
        if (executable == null) {
            throw new IOException("%s of org.signal:embedded-redis is not on the class path".formatted(name));
        }
        return executable;
    }

    /**
     * The name of the resource for a platform, or {@code null} if there is none.
     *
     * @param system as in {@code os.name}
     * @param processor as in {@code os.arch}
     */
    static @Nullable String name(String system, String processor) {
        boolean mac = system.startsWith("Mac");
        if (!mac && !system.equals("Linux")) {
            return null;
        }
        String suffix = switch (processor.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            case "x86", "i386", "i686" -> mac ? null : "386";
            default -> null;
        };
        return suffix == null ? null : "redis-server-%s-%s-%s".formatted(VERSION, mac ? "darwin" : "linux", suffix);
    }
}
