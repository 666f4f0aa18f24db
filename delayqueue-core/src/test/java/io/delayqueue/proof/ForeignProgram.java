package io.delayqueue.proof;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * An interpreter that runs clients in another language. If it is not installed, its tests are skipped with a warning,
 * unless the environment variable {@code DELAYQUEUE_CLIENTS} is {@code required}.
 */
public final class ForeignProgram {

    private static final Log log = LogFactory.getLog(ForeignProgram.class);

    private ForeignProgram() {}

    /**
     * Skips the calling test if a program is neither installed nor required.
     *
     * @param command name of the executable
     * @param debian name of the Debian package that contains it
     */
    public static void require(String command, String debian) {
        boolean installed = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
        if (!installed && !"required".equals(System.getenv("DELAYQUEUE_CLIENTS"))) {
            log.warn("Skipping tests that need " + command + ": it is not installed (Debian: apt-get install " + debian
                    + ")");
            assumeTrue(false, command + " is not installed");
        }
    }
}
