package io.delayqueue.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.Scrape;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ConfigurableApplicationContext;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard, the alerts and the runbook use series of a real application. */
@EmbeddedRedis(dedicated = true)
class OperationsFilesTests {

    /** Series of the HTTP interfaces, which HttpPanelsTests checks. */
    private static final String HTTP = "delayqueue_http_";

    private static final Path FOLDER = Path.of("..", "docs", "operations");
    private static final Pattern VARIABLE = Pattern.compile("\\$labels\\.([a-z_]+)");

    private static Scrape scrape;

    @BeforeAll
    static void scrape(RedisServerProcess redis) {
        try (ConfigurableApplicationContext application =
                MeterTest.run(redis.port(), EachMeter.Listeners.class, MeterTest.NO_SAMPLES)) {
            EachMeter.in(application, redis);
            scrape =
                    Scrape.of(application.getBean(PrometheusMeterRegistry.class).scrape());
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(FOLDER.resolve(file), UTF_8);
    }

    // ---- alerts ----------------------------------------------------------------------------------------------------

    private static List<Map<String, Object>> rules() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(read("prometheus-alerts.yaml"));
        return file.get("groups").get(0).get("rules");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> strings(Object map) {
        return (Map<String, String>) map;
    }

    @Test
    void alertsUseExistingSeries() throws IOException {
        for (Map<String, Object> rule : rules()) {
            scrape.check(String.valueOf(rule.get("expr")));
        }
        assertThat(rules())
                .extracting(rule -> rule.get("alert"))
                .doesNotHaveDuplicates()
                .contains(
                        "DelayQueueCritical",
                        "DelayQueueWarning",
                        "DelayQueueAbsent",
                        "DelayQueueSampleStale",
                        "DelayQueueRedisErrors",
                        "DelayQueueSettlementsRejected");
    }

    @ParameterizedTest
    @EnumSource
    void findingsOfEachLevelAreAnAlertOfThatSeverity(Level level) throws IOException {
        String name = level.name().toLowerCase(Locale.ROOT);
        assertThat(rules())
                .filteredOn(rule ->
                        String.valueOf(rule.get("expr")).contains("delayqueue_findings{level=\"" + name + "\"}"))
                .singleElement()
                .satisfies(rule -> assertThat(strings(rule.get("labels"))).containsEntry("severity", name));
    }

    @Test
    void alertsFireWithinAMinute() throws IOException {
        assertThat(rules())
                .extracting(rule -> rule.getOrDefault("for", "0s"))
                .allSatisfy(each -> assertThat(DurationStyle.detectAndParse((String) each))
                        .isLessThanOrEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    void descriptionsOfAlertsUseTheirLabels() throws IOException {
        for (Map<String, Object> rule : rules()) {
            Map<String, String> annotations = strings(rule.get("annotations"));
            String text = annotations.get("summary") + annotations.get("description");
            assertThat(VARIABLE.matcher(text).results().map(variable -> variable.group(1)))
                    .as(text)
                    .isSubsetOf(Scrape.grouped(String.valueOf(rule.get("expr"))));
            assertThat(strings(rule.get("labels"))).containsKey("severity");
        }
    }

    @Test
    void alertsLinkToAChapterOfTheRunbook() throws IOException {
        String runbook = read("README.md");
        Set<String> anchors = Pattern.compile("<a id=\"([a-z_]+)\"></a>")
                .matcher(runbook)
                .results()
                .map(anchor -> anchor.group(1))
                .collect(Collectors.toSet());
        runbook.lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3).toLowerCase(Locale.ROOT).replace(' ', '-'))
                .forEach(anchors::add);
        for (Map<String, Object> rule : rules()) {
            String url = strings(rule.get("annotations")).get("runbook_url");
            assertThat(url).startsWith("https://").contains("/docs/operations/README.md#");
            String anchor = url.substring(url.indexOf('#') + 1);
            if (!anchor.equals("{{ $labels.kind }}")) {
                assertThat(anchors).contains(anchor);
            }
        }
    }

    // ---- the dashboard ---------------------------------------------------------------------------------------------

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(read("grafana-dashboard.json"));
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        dashboard()
                .path("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target -> expressions.add(target.path("expr").asString())));
        return expressions;
    }

    @Test
    void dashboardUsesExistingSeries() throws IOException {
        List<String> expressions = expressions().stream()
                .filter(expression -> !expression.contains(HTTP))
                .toList();
        assertThat(expressions).hasSizeGreaterThan(20);
        expressions.forEach(scrape::check);
    }

    @Test
    void dashboardShowsEachMeter() throws IOException {
        String all = String.join("\n", expressions());
        assertThat(DelayQueueMeters.values())
                .allSatisfy(meter -> assertThat(all).containsPattern(name(meter) + "(_|\\b)"));
    }

    private static String name(DelayQueueMeters meter) {
        String name = meter.getName().replace('.', '_').replace('-', '_');
        return meter.getType() == Meter.Type.COUNTER ? name + "_total" : name;
    }

    /** Grafana replaces variables when it shows the dashboard, inputs only when it imports one. */
    @Test
    void dashboardUsesOnlyItsDataSourceVariable() throws IOException {
        JsonNode dashboard = dashboard();
        assertThat(dashboard.has("__inputs")).isFalse();
        JsonNode variable = dashboard.path("templating").path("list").get(0);
        assertThat(variable.path("type").asString()).isEqualTo("datasource");
        assertThat(variable.path("query").asString()).isEqualTo("prometheus");
        String uid = "${" + variable.path("name").asString() + "}";
        assertThat(dashboard.findValues("datasource"))
                .isNotEmpty()
                .allSatisfy(source -> assertThat(source.path("uid").asString()).isEqualTo(uid));
        assertThat(dashboard.path("id").isNull()).isTrue();
    }

    @Test
    void eachSeriesOfTheDashboardIsOfTheSelectedJob() throws IOException {
        List<String> expressions = new ArrayList<>(expressions());
        dashboard()
                .path("templating")
                .path("list")
                .valueStream()
                .filter(variable -> variable.path("name").asString().equals("topic"))
                .forEach(variable ->
                        expressions.add(variable.path("query").path("query").asString()));
        assertThat(expressions)
                .allSatisfy(expression -> assertThat(Pattern.compile("delayqueue_[a-z_]+(\\{job=~\"\\$job\"[,}])?")
                                .matcher(expression)
                                .results())
                        .isNotEmpty()
                        .allSatisfy(series ->
                                assertThat(series.group(1)).as(expression).isNotNull()));
    }

    @Test
    void panelsDoNotOverlap() throws IOException {
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard().path("panels")) {
            JsonNode place = panel.path("gridPos");
            int right = place.path("x").asInt() + place.path("w").asInt();
            assertThat(right).isLessThanOrEqualTo(24);
            for (int x = place.path("x").asInt(); x < right; x++) {
                for (int y = 0; y < place.path("h").asInt(); y++) {
                    String cell = x + " " + (place.path("y").asInt() + y);
                    assertThat(cells.add(cell))
                            .as(panel.path("title") + " at " + cell)
                            .isTrue();
                }
            }
        }
    }

    // ---- the runbook -----------------------------------------------------------------------------------------------

    @Test
    void runbookNamesExistingMeters() throws IOException {
        Set<String> names = Stream.of(DelayQueueMeters.values())
                .map(DelayQueueMeters::getName)
                .collect(Collectors.toSet());
        assertThat(Pattern.compile("`(delayqueue\\.(?:messages|message|delivery|deliveries|leases|settlements|sweeps"
                                + "|dead-letters|notifications|redis\\.errors|tasks|sample|consumers|topics|lag)"
                                + "[a-z.-]*)`")
                        .matcher(read("README.md"))
                        .results()
                        .map(found -> found.group(1)))
                .isNotEmpty()
                .isSubsetOf(names);
    }

    @Test
    void documentedSizesMatchTheMeasuredOnes() throws IOException {
        String runbook = read("README.md");
        String sizing = runbook.substring(runbook.indexOf("## How to size"));
        String measured = Files.readString(Path.of("..", "docs", "performance.md"), UTF_8);
        assertThat(Pattern.compile("\\d{1,3}(?:,\\d{3})+|\\d+\\.\\d+")
                        .matcher(sizing)
                        .results()
                        .map(MatchResult::group))
                .isNotEmpty()
                .allSatisfy(number -> assertThat(measured).contains(number));
    }
}
