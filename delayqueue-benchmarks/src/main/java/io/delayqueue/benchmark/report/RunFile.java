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
 * @param path where it lies or shall lie; its directory exists
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
     * Writes a run, over what was there.
     *
     * @throws IOException when it cannot be written
     */
    public void write(Run run) throws IOException {
        Files.writeString(path, JSON.writeValueAsString(run) + "\n");
    }

    /**
     * Reads the run, as it was written: what is no number too.
     *
     * @throws IOException when there is no such file, or no run in it
     */
    public Run read() throws IOException {
        String json = Files.readString(path);
        try {
            return JSON.readValue(json, Run.class);
        } catch (JacksonException e) {
            throw new IOException("No run in " + path + ": " + e.getOriginalMessage(), e);
        }
    }
}
