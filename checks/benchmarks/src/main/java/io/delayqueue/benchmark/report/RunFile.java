package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run as a JSON file.
 *
 * @param path the file; its directory must exist
 */
public record RunFile(Path path) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(
                    DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    /**
     * Writes a run and replaces an existing file.
     *
     * @throws IOException if the file cannot be written
     */
    public void write(Run run) throws IOException {
        Files.writeString(path, JSON.writeValueAsString(run) + "\n");
    }

    /**
     * Reads the run, including values that are not finite numbers.
     *
     * @throws IOException if the file does not exist or contains no run
     */
    public Run read() throws IOException {
        String json = Files.readString(path);
        try {
            return JSON.readValue(json, Run.class);
        } catch (JacksonException e) {
            throw new IOException("Not a benchmark run: " + path + ": " + e.getOriginalMessage(), e);
        }
    }
}
