package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writing and reading of run files. */
class RunFileTests {

    @TempDir
    private Path directory;

    private RunFile file;

    @BeforeEach
    void chooseFile() {
        file = new RunFile(directory.resolve("results.json"));
    }

    @Test
    void writtenRunIsReadBack() throws IOException {
        file.write(FullRun.of());

        Run read = file.read();

        assertThat(read).isEqualTo(FullRun.of());
        assertThat(read.environment().keySet())
                .containsExactlyElementsOf(FullRun.of().environment().keySet());
    }

    @Test
    void nonFiniteValuesAreReadBack() throws IOException {
        Run run = new RunBuilder()
                .rate(Measure.SEND, Party.JAVA, 0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)
                .build();

        file.write(run);

        assertThat(file.read()).isEqualTo(run);
    }

    @Test
    void fileIsReadable() throws IOException {
        file.write(new RunBuilder()
                .environment("CPU", "µ | \"two\"")
                .rate(Measure.SEND, Party.PRODUCT, 10_000, 1_234.5)
                .build());

        assertThat(Files.readString(file.path()).lines().map(String::strip))
                .containsSubsequence(
                        "\"profile\" : \"full\",",
                        "\"CPU\" : \"µ | \\\"two\\\"\"",
                        "\"measure\" : \"SEND\",",
                        "\"party\" : \"PRODUCT\",",
                        "\"scheduled\" : 10000,",
                        "\"RATE\" : 1234.5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"profile\":\"full\",\"environment\":{}}",
                "{\"profile\":null,\"environment\":{},\"samples\":[]}",
                "{\"profile\":\"full\",\"environment\":{},\"samples\":[{\"measure\":\"NEVER_HEARD_OF\"}]}"
            })
    void invalidFileIsRejectedWithItsName(String text) throws IOException {
        Files.writeString(file.path(), text);

        assertThatThrownBy(file::read).isInstanceOf(IOException.class).hasMessageContaining("results.json");
    }

    @Test
    void missingFileIsRejected() {
        assertThatThrownBy(file::read).isInstanceOf(NoSuchFileException.class);
    }
}
