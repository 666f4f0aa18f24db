package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of finding has a chapter of the runbook, to which alerts and dashboard link. */
class RunbookTests {

    @ParameterizedTest
    @EnumSource
    void eachKindOfFindingHasAChapter(Kind kind) throws IOException {
        assertThat(Files.readString(Path.of("..", "docs", "operations", "README.md")))
                .containsOnlyOnce("<a id=\"" + kind.name().toLowerCase(Locale.ROOT) + "\"></a>");
    }
}
