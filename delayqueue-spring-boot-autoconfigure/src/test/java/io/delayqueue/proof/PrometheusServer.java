package io.delayqueue.proof;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Prometheus in another process, which scrapes each second and evaluates the alert rules of the project. Their
 * {@code for} is shortened to a second; the expressions are unchanged. The process ends with this JVM, even if the
 * JVM is killed.
 */
final class PrometheusServer implements AutoCloseable {

    /** A property of the nodes without which Prometheus 2.42 rejects their scrapes: sampled spans add exemplars to summaries. */
    static final String NO_EXEMPLARS = "management.tracing.sampling.probability=0";

    static final Path RULES = Path.of("..", "docs", "operations", "prometheus-alerts.yaml");

    /** Stops the server when the standard input ends, which it does with this JVM. */
    private static final String LAUNCHER = "\"$@\" & server=$!; cat >/dev/null; kill $server; wait $server";

    private static final Pattern ADDRESS = Pattern.compile("msg=\"Listening on\" address=(\\S+)");

    private static final String CONFIGURATION = """
            global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
            rule_files: [rules.yaml]
            scrape_configs:
              - job_name: shop
                metrics_path: /actuator/prometheus
                file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path directory;
    private final Process process;
    private final String address;

    private PrometheusServer(Path directory) throws IOException {
        this.directory = directory;
        String rules = Files.readString(RULES).replaceAll("for: \\d+[sm]", "for: 1s");
        Files.writeString(directory.resolve("rules.yaml"), rules);
        Files.writeString(directory.resolve("prometheus.yaml"), CONFIGURATION);
        scrape(List.of());
        Path log = directory.resolve("prometheus.log");
        process = new ProcessBuilder(
                        "sh",
                        "-c",
                        LAUNCHER,
                        "sh",
                        "prometheus",
                        "--config.file=prometheus.yaml",
                        "--storage.tsdb.path=data",
                        "--web.listen-address=127.0.0.1:0")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.readString(log).contains("Server is ready"));
        Matcher matcher = ADDRESS.matcher(Files.readString(log));
        if (!matcher.find()) {
            throw new IllegalStateException("Prometheus does not log its address: " + Files.readString(log));
        }
        address = matcher.group(1);
    }

    /** Returns whether Prometheus is installed or the environment variable {@code TEST_PROMETHEUS} requires it. */
    static boolean isPresent() {
        return ForeignProgram.isPresent("prometheus", "prometheus", "TEST_PROMETHEUS");
    }

    /**
     * Starts a server that scrapes nothing yet.
     *
     * @param parent the directory in which the server creates a directory of its own
     */
    static PrometheusServer start(Path parent) {
        try {
            return new PrometheusServer(Files.createTempDirectory(parent, "prometheus"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the ports on the loopback interface that are scraped from now on. */
    void scrape(List<Integer> ports) {
        String targets =
                ports.stream().map(port -> "\"127.0.0.1:" + port + "\"").collect(Collectors.joining(","));
        try {
            Path next = Files.writeString(directory.resolve("next"), "[{\"targets\":[" + targets + "]}]");
            Files.move(next, directory.resolve("targets.json"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of nodes whose last scrape succeeded. */
    int nodes() {
        return query("sum(up)")
                .valueStream()
                .mapToInt(result -> result.path("value").get(1).asInt())
                .sum();
    }

    /**
     * Returns when an alert was first in a state.
     *
     * @param alert its labels, as in a selector
     * @param states a regular expression: {@code pending} while the expression is true for less than its {@code for},
     *     then {@code firing}
     * @param since when the search begins
     */
    Optional<Instant> first(String alert, String states, Instant since) {
        long seconds = Duration.between(since, Instant.now()).toSeconds();
        if (seconds == 0) {
            return Optional.empty();
        }
        return query("min(min_over_time(timestamp(ALERTS{%s, alertstate=~\"%s\"})[%ds:1s]))"
                        .formatted(alert, states, seconds))
                .valueStream()
                .map(result ->
                        Instant.ofEpochMilli((long) (result.path("value").get(1).asDouble() * 1000)))
                .findFirst();
    }

    /** Returns the alerts that are pending or firing, with their labels. */
    List<String> alerts() {
        return labels("ALERTS");
    }

    /** Returns the alerts that were in a state, with their labels. */
    List<String> alerts(String state, Instant since) {
        long seconds = Duration.between(since, Instant.now()).toSeconds() + 1;
        return labels("max_over_time(ALERTS{alertstate=\"%s\"}[%ds])".formatted(state, seconds));
    }

    private List<String> labels(String expression) {
        return query(expression)
                .valueStream()
                .map(result -> result.path("metric").toString())
                .toList();
    }

    private JsonNode query(String expression) {
        URI uri = URI.create("http://" + address + "/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8));
        try {
            String body = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
            JsonNode reply = JsonMapper.shared().readTree(body);
            if (!reply.path("status").asString("").equals("success")) {
                throw new IllegalStateException(expression + ": " + body);
            }
            return reply.path("data").path("result");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Prometheus does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
