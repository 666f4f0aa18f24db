package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What can be checked of docker-compose.yaml without Docker. */
class ComposeFileTests {

    private static final Path ROOT = Path.of("..");

    private final Map<String, Map<String, Map<String, Object>>> file = parsed();

    @Test
    void mountedFilesExist() {
        assertThat(values("volumes"))
                .hasSize(2)
                .allSatisfy(volume -> assertThat(ROOT.resolve(((String) volume).split(":")[0]))
                        .isRegularFile());
    }

    @Test
    void eachConfigIsUsedAndIsYaml() {
        assertThat(values("configs").stream().<Object>map(config -> ((Map<?, ?>) config).get("source")))
                .containsExactlyInAnyOrderElementsOf(file.get("configs").keySet());
        file.get("configs").values().forEach(config -> {
            Object content = new Yaml().load((String) config.get("content"));
            assertThat(content).isInstanceOf(Map.class);
        });
    }

    @Test
    void inputOfTheDashboardIsReplacedByTheDataSource() throws IOException {
        assertThat(file.get("services").get("grafana").get("entrypoint").toString())
                .contains("s/$${DS_PROMETHEUS}/prometheus/g");
        assertThat(ROOT.resolve("docs/operations/grafana-dashboard.json"))
                .content()
                .contains("\"uid\": \"${DS_PROMETHEUS}\"");
        assertThat(file.get("configs").get("grafana-datasources").get("content").toString())
                .contains("uid: prometheus\n");
    }

    private List<?> values(String key) {
        return file.get("services").values().stream()
                .flatMap(service -> ((List<?>) service.getOrDefault(key, List.of())).stream())
                .toList();
    }

    private static Map<String, Map<String, Map<String, Object>>> parsed() {
        try {
            return new Yaml().load(Files.readString(ROOT.resolve("docker-compose.yaml")));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
