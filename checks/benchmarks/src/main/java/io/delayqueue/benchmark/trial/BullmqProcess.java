package io.delayqueue.benchmark.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The Node.js process of {@link BullmqTrials}, which runs commands one after the other. Not thread-safe. */
final class BullmqProcess implements AutoCloseable {

    private static final TypeReference<Map<String, Double>> NUMBERS = new TypeReference<>() {};

    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Process process;
    private final Writer commands;
    private final BufferedReader results;

    /** Starts the process. */
    BullmqProcess(Path driver, int port) {
        try {
            process = new ProcessBuilder("node", driver.toString(), Integer.toString(port))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        commands = process.outputWriter(UTF_8);
        results = process.inputReader(UTF_8);
    }

    /** Starts a command. Its results are read with {@link #result()}. */
    void start(String command, Map<String, ? extends Number> arguments) {
        Map<String, Object> line = new HashMap<>(arguments);
        line.put("command", command);
        try {
            commands.write(mapper.writeValueAsString(line) + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the next result. */
    Map<String, Double> result() {
        try {
            String line = results.readLine();
            if (line == null) {
                throw new IllegalStateException("The process of BullMQ ended");
            }
            return mapper.readValue(line, NUMBERS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command that has one result. */
    Map<String, Double> run(String command, Map<String, ? extends Number> arguments) {
        start(command, arguments);
        return result();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
