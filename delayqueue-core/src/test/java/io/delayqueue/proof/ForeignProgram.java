package io.delayqueue.proof;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A client in another language. A test of one that isn't installed is skipped with a notification, unless the environment variable
 * {@code DELAYQUEUE_CLIENTS} is {@code required}.
 */
public final class ForeignProgram {

    private static final Log log = LogFactory.getLog(ForeignProgram.class);

    private ForeignProgram() {}

    /**
     * Skips the test that calls, if there is no such program and none is required.
     *
     * @param debian the package that has it
     */
    public static void require(String command, String debian) {
        boolean installed = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
        if (!installed && !"required".equals(System.getenv("DELAYQUEUE_CLIENTS"))) {
            log.warn("Clients by " + command + " are not tried: it is not installed (Debian: apt-get install " + debian
                    + ")");
            assumeTrue(false, command + " is not installed");
        }
    }
}
