package io.delayqueue.compatibility.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of {@link NodeApplication}. */
final class Node implements AutoCloseable {

    private static final Pattern LIBRARY =
            Pattern.compile(".*[/\\\\]delayqueue-(core|spring-boot-autoconfigure)([/\\\\]|-\\d).*");

    private final Process process;
    private final PrintStream input;
    private final BlockingQueue<String> done = new LinkedBlockingQueue<>();
    private final List<String> failed = new CopyOnWriteArrayList<>();
    private final List<Handled> handled = new CopyOnWriteArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final String library;

    /**
     * Starts a node.
     *
     * @param library class path of the library, or null for that of this build
     */
    Node(int redisPort, @Nullable String library) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx200m",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            classPath(library),
                            NodeApplication.class.getName(),
                            "--spring.main.web-application-type=none",
                            "--spring.main.banner-mode=off",
                            "--spring.data.redis.port=" + redisPort,
                            "--delayqueue.topics[" + NodeApplication.TOPIC + "].shards=4",
                            "--logging.level.root=warn")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "node-output");
        reader.setDaemon(true);
        reader.start();
        this.library = next().replace("started ", "");
    }

    private static String classPath(@Nullable String library) {
        String own = System.getProperty("java.class.path");
        if (library == null) {
            return own;
        }
        return Stream.concat(
                        Stream.of(library),
                        Stream.of(own.split(File.pathSeparator))
                                .filter(entry -> !LIBRARY.matcher(entry).matches()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "started", "done" -> done.add(line);
                    case "failed" -> failed.add(words[1]);
                    case "handled" -> handled.add(new Handled(words[1], Long.parseLong(words[2])));
                    default -> log.add(line);
                }
            }
        } catch (IOException e) {
            log.add(e.toString());
        }
    }

    /** Runs a command and returns its outcome. */
    String command(String command) {
        input.println(command);
        return next();
    }

    private String next() {
        try {
            String line = done.poll(60, TimeUnit.SECONDS);
            assertThat(line).as(String.join("\n", log)).isNotNull();
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Where its library is from. */
    String library() {
        return library;
    }

    List<Handled> handled() {
        return handled;
    }

    List<String> failed() {
        return failed;
    }

    List<String> log() {
        return log;
    }

    /** Ends it as a deployment does, and waits for its end. */
    @Override
    public void close() {
        input.close();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new IllegalStateException("The node did not end: " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    record Handled(String id, long lateMillis) {}
}
