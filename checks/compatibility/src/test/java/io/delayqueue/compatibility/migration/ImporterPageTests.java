package io.delayqueue.compatibility.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page shows the importers that are tested. */
class ImporterPageTests {

    @ParameterizedTest
    @ValueSource(strings = {"RedissonImporter", "RqueueImporter"})
    void importerIsThatOfThePage(String name) throws IOException {
        String source =
                Files.readString(Path.of("src/test/java/io/delayqueue/compatibility/migration", name + ".java"));
        String page = Files.readString(Path.of("../../docs/migration-importers.md"));

        assertThat(page)
                .contains("<!-- " + name + " -->\n```java\n" + source.substring(source.indexOf("import ")) + "```\n");
    }
}
