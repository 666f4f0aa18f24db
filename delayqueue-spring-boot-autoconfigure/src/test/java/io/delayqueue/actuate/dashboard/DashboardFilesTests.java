package io.delayqueue.actuate.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page consists of the served files, and its scripts cannot execute data of the queue. */
class DashboardFilesTests {

    private static final Path DIRECTORY = Path.of("src/main/resources/io/delayqueue/actuate/dashboard");

    @Test
    void eachFileIsServedAndNoOther() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(Stream.of(DashboardFiles.PAGE), DashboardFiles.PARTS.stream())
                                    .toList());
        }
    }

    @Test
    void eachImportIsServed() {
        assertThat(scripts())
                .allSatisfy(name -> assertThat(matches("from '([^']+)'", read(name)))
                        .allMatch(imported -> DashboardFiles.PARTS.contains(imported.substring(2))));
    }

    @Test
    void textNeverBecomesMarkupOrCode() {
        assertThat(scripts())
                .allSatisfy(name -> assertThat(read(name))
                        .as(name)
                        .doesNotContain(
                                "innerHTML",
                                "outerHTML",
                                "insertAdjacentHTML",
                                "document.write",
                                "DOMParser",
                                "createContextualFragment",
                                "srcdoc",
                                "eval(",
                                "Function(",
                                "javascript:",
                                ".style",
                                "style:",
                                "cssText"));
    }

    @Test
    void pageHasNeitherInlineScriptNorStyle() {
        assertThat(read(DashboardFiles.PAGE)).doesNotContain("<style", "style=", "onclick", "http:", "https:");
        assertThat(matches("<script([^>]*)>([^<]*)<", read(DashboardFiles.PAGE)))
                .containsExactly(" type=\"module\" src=\"{{files}}/app.js\"");
        assertThat(read("style.css") + read("charts.css")).doesNotContain("@import", "url(");
    }

    @Test
    void filesAreSmall() {
        assertThat(DashboardFiles.PARTS)
                .allSatisfy(
                        name -> assertThat(read(name).lines().count()).as(name).isLessThanOrEqualTo(400));
    }

    private static List<String> scripts() {
        return DashboardFiles.PARTS.stream()
                .filter(name -> name.endsWith(".js"))
                .toList();
    }

    private static List<String> matches(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult each) -> each.group(1))
                .toList();
    }

    private static String read(String name) {
        try {
            return Files.readString(DIRECTORY.resolve(name), UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
