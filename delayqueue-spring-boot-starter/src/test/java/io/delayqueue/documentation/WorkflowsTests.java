package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The files of {@code .github}: they can be read, and their commands exist. GitHub is needed to run them. */
class WorkflowsTests {

    private static final Path GITHUB = MarkdownPage.ROOT.resolve(".github");
    private static final Pattern SCRIPT = Pattern.compile("(?:^|[\\s\"(])(\\./mvnw|\\.ci/[a-z-]+)((?: [a-z0-9]+)*)");

    @Test
    void eachFileCanBeRead() throws Exception {
        try (Stream<Path> files = Files.walk(GITHUB)) {
            List<Path> yaml =
                    files.filter(file -> file.toString().endsWith(".yml")).toList();
            assertThat(yaml).hasSizeGreaterThan(7);
            for (Path file : yaml) {
                Object content = new Yaml().load(Files.readString(file));
                assertThat(content).as(file.toString()).isInstanceOf(Map.class);
            }
        }
    }

    @Test
    void scriptsAndTheirStepsExist() throws Exception {
        String gate = Files.readString(MarkdownPage.ROOT.resolve(".ci/run"));
        List<String> steps = new ArrayList<>();
        try (Stream<Path> files = Files.list(GITHUB.resolve("workflows"))) {
            for (Path file : files.toList()) {
                SCRIPT.matcher(Files.readString(file)).results().forEach(found -> {
                    assertThat(MarkdownPage.ROOT.resolve(found.group(1))).isExecutable();
                    if (found.group(1).equals(".ci/run")) {
                        Stream.of(found.group(2).strip().split(" "))
                                .filter(step -> !step.isEmpty())
                                .forEach(steps::add);
                    }
                });
            }
        }
        assertThat(steps)
                .contains("verify", "soak", "jdk")
                .allSatisfy(step -> assertThat(gate).contains("if wanted " + step + ";"));
    }
}
