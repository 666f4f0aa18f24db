package io.delayqueue.compatibility.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** An application with rqueue on Spring Boot 3, in a process of its own. */
final class RqueueQueue implements OldQueue {

    private static final Path BUILD = Path.of("..", "compatibility-rqueue", "target");

    private final Process process;
    private final PrintStream input;
    private final RedisServerProcess redis;
    private final List<Handled> handled = new CopyOnWriteArrayList<>();
    private final List<String> other = new CopyOnWriteArrayList<>();
    private final AtomicReference<CountDownLatch> awaited = new AtomicReference<>(new CountDownLatch(1));

    RqueueQueue(RedisServerProcess redis, boolean consuming) {
        this.redis = redis;
        try {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx200m",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    BUILD.resolve("classes") + File.pathSeparator + Files.readString(BUILD.resolve("class-path.txt")),
                    "io.delayqueue.compatibility.rqueue.RqueueApplication",
                    "--spring.main.web-application-type=none",
                    "--spring.data.redis.port=" + redis.port()));
            if (consuming) {
                command.add("--consume=true");
            }
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "rqueue-output");
        reader.setDaemon(true);
        reader.start();
        await();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "started", "stored" -> awaited.get().countDown();
                    case "handled" -> handled.add(new Handled(words[1], Long.parseLong(words[2])));
                    default -> other.add(line);
                }
            }
        } catch (IOException e) {
            other.add(e.toString());
        }
    }

    private void await() {
        try {
            assertThat(awaited.get().await(60, TimeUnit.SECONDS))
                    .as(String.join("\n", other))
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void store(Map<String, Long> dueTimes) {
        awaited.set(new CountDownLatch(dueTimes.size()));
        dueTimes.forEach((number, due) -> input.println(number + " " + due));
        await();
    }

    @Override
    public List<Handled> handled() {
        return handled;
    }

    @Override
    public List<Long> laterThan(long millis) {
        List<Long> later = new ArrayList<>();
        List<?> stored = (List<?>) redis.command(
                "ZRANGEBYSCORE", "__rq::d-queue::{" + NAME + "}", Long.toString(millis), "+inf", "WITHSCORES");
        for (int i = 1; i < stored.size(); i += 2) {
            later.add(Long.parseLong(String.valueOf(stored.get(i))));
        }
        return later;
    }

    @Override
    public void close() {
        input.close();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
