package io.delayqueue.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.BackoffExpression;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.autoconfigure.property.TopicProperties;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.TopicLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The table of docs/configuration.md matches the configuration metadata. */
class PropertyTableTests {

    /** Maps, with the names of their keys. */
    private static final Map<String, String> SHOWN = Map.of(
            "delayqueue.forward", "delayqueue.forward[n].*",
            "delayqueue.http.clients", "delayqueue.http.clients[name].*",
            "delayqueue.topics", "delayqueue.topics[name].*",
            "delayqueue.health.max-lag", "delayqueue.health.max-lag[topic]");

    private static final Pattern EXCEPT =
            Pattern.compile("the keys of delayqueue\\.listener except ((?:[a-z-]+, )*[a-z-]+ and [a-z-]+)");

    private static final String BEGIN = "|---|---|---|\n";
    private static final String MARK = "<!-- properties:";
    private static final String END = "<!-- end of properties -->";

    @Test
    void eachPropertyHasADescription() {
        assertThat(properties())
                .isNotEmpty()
                .allSatisfy(property -> assertThat(property.path("description").asString())
                        .as(property.path("name").asString())
                        .isNotBlank()
                        .endsWith("."));
    }

    @Test
    void eachPropertyHasADefaultUnlessItIsACollection() {
        assertThat(properties())
                .filteredOn(property -> property.path("defaultValue").isMissingNode())
                .extracting(property -> property.path("name").asString())
                .containsExactlyInAnyOrder(
                        "delayqueue.allowed-hosts",
                        "delayqueue.dashboard.trace-url",
                        "delayqueue.forward",
                        "delayqueue.health.max-lag",
                        "delayqueue.http.clients",
                        "delayqueue.listener.not-retryable",
                        "delayqueue.listener.unavailable-on",
                        "delayqueue.topics");
    }

    @Test
    void tableMatchesTheMetadata() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration.md"), UTF_8);
        int begin = page.indexOf(BEGIN, page.indexOf(MARK)) + BEGIN.length();
        List<String> rows = page.substring(begin, page.indexOf(END)).lines().toList();
        List<String> expected =
                properties().stream().map(PropertyTableTests::row).toList();
        assertThat(rows)
                .as("the table; it should be\n" + String.join("\n", expected))
                .isEqualTo(expected);
    }

    /** The defaults are in additional-spring-configuration-metadata.json, because an unset property is null. */
    @Test
    void defaultsOfListenersMatchTheBuiltInOptions() {
        Map<String, Object> defaults = new HashMap<>();
        properties().stream()
                .filter(property -> !property.path("defaultValue").isMissingNode())
                .forEach(property -> defaults.put(
                        property.path("name").asString(),
                        property.path("defaultValue").asString()));
        ListenerOptions options = new Binder(new MapConfigurationPropertySource(defaults))
                .bind("delayqueue", DelayQueueProperties.class)
                .get()
                .listenerOptions();

        assertThat(options)
                .isEqualTo(ListenerOptions.DEFAULTS.toBuilder().batchSize(100).build());
    }

    @Test
    void tableOfForwardsMatchesTheProperties() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "forwarding.md"), UTF_8);
        int begin = page.indexOf(BEGIN, page.indexOf("<!-- keys:")) + BEGIN.length();
        List<String> keys = page.substring(begin, page.indexOf("<!-- end of keys -->"))
                .lines()
                .map(row -> row.substring("| `".length(), row.indexOf("` |")))
                .toList();
        assertThat(keys)
                .isEqualTo(Arrays.stream(ForwardProperties.class.getRecordComponents())
                        .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                        .filter(key -> !key.equals("batch-size"))
                        .toList());
    }

    @Test
    void listenerKeysThatForwardsAndTopicsLackAreNamed() {
        Set<String> forwarding = keys(ForwardProperties.class);
        forwarding.remove("batch-size"); // bound only to reject it
        assertThat(exceptions("delayqueue.forward")).isEqualTo(without(forwarding));
        assertThat(exceptions("delayqueue.topics")).isEqualTo(without(keys(TopicProperties.class)));
    }

    private static Set<String> without(Set<String> keys) {
        Set<String> lacking = keys(DelayQueueProperties.Listener.class);
        lacking.removeAll(keys);
        return lacking;
    }

    private static Set<String> keys(Class<? extends Record> group) {
        return Arrays.stream(group.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The keys in "the keys of delayqueue.listener except a, b and c". */
    private static Set<String> exceptions(String name) {
        String description = properties().stream()
                .filter(property -> property.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .path("description")
                .asString();
        Matcher except = EXCEPT.matcher(description);
        assertThat(except.find()).as(description).isTrue();
        return Set.of(except.group(1).split(", | and "));
    }

    @Test
    void hintsAreValidValues() {
        Map<String, Consumer<String>> parsers = Map.of(
                "delayqueue.listener.backoff", BackoffExpression::parse,
                "delayqueue.topics.backoff", BackoffExpression::parse,
                "delayqueue.forward.backoff", BackoffExpression::parse,
                "delayqueue.topics.durability", Durability::parse,
                "delayqueue.topics.rate", TopicLimits.Rate::parse,
                "delayqueue.forward.to",
                        broker -> assertThat(ForwardProperties.BROKERS).contains(broker));
        List<JsonNode> hints = metadata("hints");

        assertThat(hints)
                .extracting(hint -> hint.path("name").asString())
                .containsExactlyInAnyOrderElementsOf(parsers.keySet());
        for (JsonNode hint : hints) {
            Consumer<String> parser = parsers.get(hint.path("name").asString());
            assertThat(hint.path("values")).hasSizeGreaterThanOrEqualTo(3).allSatisfy(value -> {
                parser.accept(value.path("value").asString());
                assertThat(value.path("description").asString()).endsWith(".");
            });
            assertThat(hint.path("providers")
                            .valueStream()
                            .map(each -> each.path("name").asString()))
                    .as("other values are possible")
                    .contains("any");
        }
    }

    /** The metadata has no place for the keys of entries of a map, so IDEs read the Javadoc. */
    @Test
    void eachKeyOfATopicHasADescription() throws IOException {
        String source = Files.readString(
                Path.of("src/main/java/io/delayqueue/autoconfigure/property/TopicProperties.java"), UTF_8);
        String described = properties().stream()
                .filter(property -> property.path("name").asString().equals("delayqueue.topics"))
                .map(property -> property.path("description").asString())
                .collect(Collectors.joining());
        Set<String> ofListeners = Arrays.stream(DelayQueueProperties.Listener.class.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
        for (RecordComponent key : TopicProperties.class.getRecordComponents()) {
            assertThat(source).contains(" * @param " + key.getName() + " ");
            if (!ofListeners.contains(key.getName())) {
                assertThat(described).contains(DataObjectPropertyName.toDashedForm(key.getName()));
            }
        }
        assertThat(described).contains("delayqueue.listener");
    }

    private static String row(JsonNode property) {
        String name = property.path("name").asString();
        String shown = SHOWN.getOrDefault(name, name);
        String value = property.path("defaultValue").asString("");
        return "| `" + shown + "` | " + (value.isEmpty() ? "" : "`" + value + "` ") + "| "
                + property.path("description").asString() + " |";
    }

    /** In the order of their names, as the annotation processor writes them. */
    private static List<JsonNode> properties() {
        return metadata("properties");
    }

    private static List<JsonNode> metadata(String kind) {
        List<JsonNode> found = new ArrayList<>();
        try {
            for (URL url : Collections.list(PropertyTableTests.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                JsonMapper.shared().readTree(url.openStream()).path(kind).forEach(item -> {
                    if (item.path("name").asString().startsWith("delayqueue.")) {
                        found.add(item);
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
