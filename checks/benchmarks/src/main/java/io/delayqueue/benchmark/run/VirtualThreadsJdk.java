package io.delayqueue.benchmark.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The JDK of trials with virtual threads. */
public final class VirtualThreadsJdk {

    private static final int FIRST = 21;

    private VirtualThreadsJdk() {}

    /** The {@code java} of this JDK if it has virtual threads, otherwise that of {@code JAVA_HOME_25}, if there is one. */
    public static Optional<Path> java() {
        String home =
                Runtime.version().feature() >= FIRST ? System.getProperty("java.home") : System.getenv("JAVA_HOME_25");
        return Stream.ofNullable(home)
                .map(directory -> Path.of(directory, "bin", "java"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
