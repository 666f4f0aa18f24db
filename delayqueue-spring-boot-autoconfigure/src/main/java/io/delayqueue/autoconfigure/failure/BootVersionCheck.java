package io.delayqueue.autoconfigure.failure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;

/**
 * Fails the start on a Spring Boot older than 4.1. Runs before the auto-configurations are loaded, whose classes refer to
 * classes that such a Spring Boot does not have. Excludes nothing.
 */
final class BootVersionCheck implements AutoConfigurationImportFilter {

    private final String version;

    BootVersionCheck() {
        this(SpringBootVersion.getVersion());
    }

    BootVersionCheck(String version) {
        this.version = version;
    }

    @Override
    public boolean[] match(@Nullable String[] autoConfigurationClasses, AutoConfigurationMetadata metadata) {
        if (!isSupported()) {
            throw new StartFailedException(
                    "The delay queue requires Spring Boot 4.1, found " + version + ".",
                    "Upgrade to Spring Boot 4.1 or later, or remove the dependency on the delay queue.");
        }
        boolean[] all = new boolean[autoConfigurationClasses.length];
        Arrays.fill(all, true);
        return all;
    }

    /** An unknown format is not rejected. */
    private boolean isSupported() {
        String[] parts = version.split("[.-]", -1);
        try {
            int major = Integer.parseInt(parts[0]);
            return major > 4 || (major == 4 && Integer.parseInt(parts[1]) >= 1);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return true;
        }
    }
}
