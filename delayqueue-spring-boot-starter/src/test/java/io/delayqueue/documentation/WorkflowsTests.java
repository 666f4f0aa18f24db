package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The files of {@code .github}: they can be read, and their commands exist. GitHub is needed to run them. */
class WorkflowsTests {

    private static final Path GITHUB = MarkdownPage.ROOT.resolve(".github");
    private static final Pattern AREAS = Pattern.compile("^all=\\((.*)\\)$", Pattern.MULTILINE);
    private static final Pattern SCRIPT = Pattern.compile("(?:^|[\\s\"(])(\\./mvnw|\\.ci/[a-z-]+)");

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
    void scriptsExist() throws Exception {
        try (Stream<Path> files = Files.list(GITHUB.resolve("workflows"))) {
            for (Path file : files.toList()) {
                SCRIPT.matcher(Files.readString(file))
                        .results()
                        .forEach(found -> assertThat(MarkdownPage.ROOT.resolve(found.group(1)))
                                .isExecutable());
            }
        }
    }

    @Test
    void eachAreaIsRunAtNight() throws Exception {
        Matcher areas = AREAS.matcher(Files.readString(MarkdownPage.ROOT.resolve(".ci/long")));
        assertThat(areas.find()).isTrue();
        Map<String, Object> nightly = new Yaml().load(Files.readString(GITHUB.resolve("workflows/nightly.yml")));
        Map<?, ?> jobs = (Map<?, ?>) nightly.get("jobs");
        Map<?, ?> strategy = (Map<?, ?>) ((Map<?, ?>) jobs.get("long")).get("strategy");
        List<Object> run = new ArrayList<>((List<?>) ((Map<?, ?>) strategy.get("matrix")).get("area"));
        run.add("jdk");

        assertThat(run).containsExactlyInAnyOrder((Object[]) areas.group(1).split(" "));
    }
}
