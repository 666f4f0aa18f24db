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
    void grafanaReadsTheMountedDashboardAsItIs() {
        String mounted = values("volumes").stream()
                .map(volume -> ((String) volume).split(":"))
                .filter(parts -> parts[0].endsWith("/grafana-dashboard.json"))
                .map(parts -> parts[1])
                .findFirst()
                .orElseThrow();
        assertThat(file.get("configs").get("grafana-dashboards").get("content").toString())
                .contains("path: " + mounted.substring(0, mounted.lastIndexOf('/')) + "\n");
        assertThat(file.get("services").get("grafana")).doesNotContainKeys("entrypoint", "command");
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
