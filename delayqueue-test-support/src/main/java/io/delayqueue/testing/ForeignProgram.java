package io.delayqueue.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Programs in other languages, which tests start if they are installed. */
public final class ForeignProgram {

    private static final Log log = LogFactory.getLog(ForeignProgram.class);

    private ForeignProgram() {}

    /**
     * Skips the calling test and logs a warning if an interpreter is not installed. If the environment variable {@code
     * TEST_CLIENTS} is {@code required}, the test runs nevertheless.
     *
     * @param command name of the executable
     * @param debian name of the Debian package that contains it
     */
    public static void require(String command, String debian) {
        assumeTrue(isPresent(command, debian, "TEST_CLIENTS"), command + " is not installed");
    }

    /**
     * Returns whether a program is installed or required. Logs a warning if it is neither.
     *
     * @param command name of the executable
     * @param debian name of the Debian package that contains it
     * @param variable the environment variable whose value {@code required} makes the program required
     */
    public static boolean isPresent(String command, String debian, String variable) {
        boolean present = "required".equals(System.getenv(variable))
                || Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
        if (!present) {
            log.warn("Skipping tests that need " + command + ": it is not installed (Debian: apt-get install " + debian
                    + ")");
        }
        return present;
    }
}
