package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.trial.BullmqTrials;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/** Installs BullMQ from npm into {@code target}, if Node.js and npm are on the path. */
public final class BullmqInstallation {

    private static final String BULLMQ = "bullmq@6.7.0";
    private static final String CLIENT = "ioredis@5.8.2";
    private static final long TIMEOUT_SECONDS = 120;

    /** The installed versions, for reports. */
    public static final String VERSIONS = BULLMQ + ", " + CLIENT;

    private BullmqInstallation() {}

    /**
     * Installs the versions of this class, unless they are installed already.
     *
     * @param out receives one line that says why BullMQ is not available
     * @return whether BullMQ is available
     * @throws IOException if a file cannot be written
     */
    public static boolean install(PrintStream out) throws IOException, InterruptedException {
        Path directory = BullmqTrials.DIRECTORY;
        Path installed = directory.resolve("installed");
        Files.createDirectories(directory);
        if (!runs("node", "--version") || !runs("npm", "--version")) {
            out.println("BullMQ is not measured: node and npm are not on the path");
            return false;
        }
        if (!Files.exists(installed) || !Files.readString(installed).equals(VERSIONS)) {
            if (!runs(
                    "npm",
                    "install",
                    "--prefix",
                    directory.toString(),
                    "--no-save",
                    "--no-package-lock",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts",
                    BULLMQ,
                    CLIENT)) {
                out.println("BullMQ is not measured: npm could not install " + VERSIONS);
                return false;
            }
            Files.writeString(installed, VERSIONS);
        }
        try (InputStream driver = BullmqTrials.class.getResourceAsStream(BullmqTrials.DRIVER)) {
            if (driver == null) {
                throw new IllegalStateException("The resource " + BullmqTrials.DRIVER + " is missing");
            }
            Files.copy(driver, directory.resolve(BullmqTrials.DRIVER), StandardCopyOption.REPLACE_EXISTING);
        }
        return true;
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // not on the path
        }
    }
}
