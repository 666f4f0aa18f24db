package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.http.OriginalServer;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.trial.StartUpTrial;
import io.delayqueue.benchmark.trial.Trial;
import io.delayqueue.benchmark.trial.TrialSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Runs each trial in a separate JVM. */
final class TrialProcess {

    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int TAIL = 40;
    private static final TypeReference<Map<Quantity, Double>> VALUES = new TypeReference<>() {};

    private final Path directory;
    private final JsonMapper mapper = JsonMapper.builder().build();

    TrialProcess(Path directory) {
        this.directory = directory;
    }

    /**
     * Runs a trial.
     *
     * @throws IllegalStateException if the trial failed, with the end of its output
     */
    Map<Quantity, Double> run(TrialSpec spec) throws IOException, InterruptedException {
        Path result = directory.resolve("trial.json");
        Path log = directory.resolve("trial.log");
        Files.deleteIfExists(result);
        List<String> command = new ArrayList<>();
        command.add(java(spec.measure()).toString());
        if (spec.measure() == Measure.START_UP) {
            command.addAll(startUp(spec));
        } else {
            command.addAll(
                    List.of("-Xms1g", "-Xmx2g", "-XX:+AlwaysPreTouch", "-cp", ClassPath.ofTrial(spec.measure())));
            command.add("-D" + OriginalServer.EXECUTABLE + "=" + System.getProperty(OriginalServer.EXECUTABLE, ""));
            command.addAll(List.of(Trial.class.getName(), mapper.writeValueAsString(spec)));
        }
        command.add(result.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException(spec + " failed:\n" + tail(log));
            }
        } finally {
            process.destroyForcibly();
        }
        return mapper.readValue(result, VALUES);
    }

    private static Path java(Measure measure) {
        return measure.onVirtualThreads()
                ? VirtualThreadsJdk.java().orElseThrow()
                : Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static List<String> startUp(TrialSpec spec) {
        return List.of(
                "-cp",
                ClassPath.ofStartUp(spec.party()),
                StartUpTrial.class.getName(),
                spec.party().name(),
                Integer.toString(spec.port()));
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }
}
