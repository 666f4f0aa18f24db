package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.metrics.DelayQueueMeters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Names, defaults, states and figures in the text of the pages are those of the product. Records of decisions are left out. */
class FactsTests {

    private static final Pattern BLOCK_OF_CODE = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** A property or meter within code. */
    private static final Pattern NAME = Pattern.compile("(?<![\\w.\"/-])delayqueue\\.[a-z][a-z.-]*[a-z]");

    /** Keys of the MDC, observations and their keys. */
    private static final Set<String> OTHER_NAMES = Set.of(
            "delayqueue.topic",
            "delayqueue.id",
            "delayqueue.attempt",
            "delayqueue.batch.size",
            "delayqueue.outcome",
            "delayqueue.message",
            "delayqueue.send",
            "delayqueue.receive",
            "delayqueue.process");

    /** {@code `property` (5 s} or {@code (`property`, 5 s}. */
    private static final Pattern VALUE_AFTER =
            Pattern.compile("`([\\w.-]+)`(?: \\(|, )(\\d[\\d,]*) ?([A-Za-z]*)[ ),;]");
    /** {@code 5 s (`property`)}, perhaps with "by default" in between. */
    private static final Pattern VALUE_BEFORE =
            Pattern.compile("(\\d[\\d,]*) ?([A-Za-z]*)(?: by default)? \\(`([\\w.-]+)`\\)");

    /** A row of a table with a property and its default. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(delayqueue\\.[^`]+)` \\| (?:`([^`]*)` )?\\| ");

    /** Words in code, each perhaps with a remark in brackets. */
    private static final Pattern LIST =
            Pattern.compile("`[\\w-]+`(?: \\([^()]*\\))?(?:(?:,? and|,? or|,) `[\\w-]+`(?: \\([^()]*\\))?){2,}");

    private static final Pattern LINK_TARGET = Pattern.compile("(?<=])\\([^)]*\\)");
    private static final Pattern WORD = Pattern.compile("[\\w-]+");

    private static final Map<String, String> UNITS = Map.of(
            "min", "m", "day", "d", "days", "d", "hour", "h", "hours", "h", "seconds", "s", "minute", "m", "minutes",
            "m");

    /** Names of properties of the queue, with their defaults. */
    private static final Map<String, String> DEFAULTS = defaults();

    static Stream<Path> pages() {
        return MarkdownPage.all().stream()
                .map(MarkdownPage::path)
                .filter(page -> !page.startsWith(Path.of("docs", "adr")) && !page.endsWith("CHANGELOG.md"));
    }

    private static String withoutCode(Path page) {
        return BLOCK_OF_CODE.matcher(read(page)).replaceAll("");
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s*\n\\s*", " ");
    }

    private static String read(Path page) {
        try {
            return Files.readString(MarkdownPage.ROOT.resolve(page), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void propertiesAndMetersExist(Path page) {
        assertThat(names(withoutCode(page))).allMatch(FactsTests::exists, "a property or meter");
    }

    private static List<String> names(String text) {
        return CODE.matcher(text)
                .results()
                .flatMap(code -> NAME.matcher(code.group(1)).results())
                .map(MatchResult::group)
                .toList();
    }

    private static boolean exists(String name) {
        return OTHER_NAMES.contains(name)
                || DEFAULTS.containsKey(name)
                || DEFAULTS.keySet().stream().anyMatch(property -> property.startsWith(name + "."))
                || Arrays.stream(DelayQueueMeters.values())
                        .anyMatch(meter ->
                                meter.getName().equals(name) || meter.getName().startsWith(name + "."));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void defaultsAreThoseOfTheProperties(Path page) {
        assertThat(wrongDefaults(withoutCode(page))).isEmpty();
    }

    private static List<String> wrongDefaults(String text) {
        String line = inOneLine(text);
        return Stream.concat(
                        VALUE_AFTER
                                .matcher(line)
                                .results()
                                .filter(found ->
                                        !line.substring(0, found.start()).endsWith("third of "))
                                .filter(found -> differs(found.group(1), found.group(2) + unit(found.group(3)))),
                        VALUE_BEFORE
                                .matcher(line)
                                .results()
                                .filter(found -> differs(found.group(3), found.group(1) + unit(found.group(2)))))
                .map(MatchResult::group)
                .toList();
    }

    private static String unit(String word) {
        return UNITS.getOrDefault(word, word);
    }

    /** Whether a default is known and differs. Names without a prefix are those of options of listeners. */
    private static boolean differs(String name, String value) {
        String property =
                name.contains(".") ? name : "delayqueue.listener." + DataObjectPropertyName.toDashedForm(name);
        String known = DEFAULTS.getOrDefault(property, "");
        return known.matches("\\d+[A-Za-z]*") && !known.equals(value.replace(",", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Up to 31 s\n(`delayqueue.listener.lease`)",
                "`delayqueue.listener.prefetch` (100)",
                "After its last attempt (`maxAttempts`, 5) it",
                "within 2 min by default (`delayqueue.health.max-outbox-age`)"
            })
    void aWrongDefaultIsFound(String text) {
        assertThat(wrongDefaults(text)).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void tablesHaveTheDefaultsOfTheProperties(Path page) {
        assertThat(ROW.matcher(read(page)).results()).allSatisfy(row -> {
            String property = row.group(1);
            if (DEFAULTS.containsKey(property)) { // other names are checked above
                assertThat(row.group(2) == null ? "" : row.group(2))
                        .as(property)
                        .isEqualTo(DEFAULTS.get(property));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void listsOfStatesAreComplete(Path page) {
        assertThat(incompleteLists(read(page))).isEmpty();
    }

    private static List<String> incompleteLists(String text) {
        String line = inOneLine(BLOCK_OF_CODE.matcher(text).replaceAll(""));
        Stream<String> inText =
                LIST.matcher(LINK_TARGET.matcher(line).replaceAll("")).results().map(MatchResult::group);
        Stream<String> inCode = text.lines().filter(each -> each.matches(".*// (or )?[A-Z_]+, [A-Z_]+.*"));
        return Stream.concat(inText, inCode).filter(FactsTests::isIncomplete).toList();
    }

    /** Whether at least two words are constants of an enumeration, and another constant is missing. */
    private static boolean isIncomplete(String list) {
        Set<String> words = WORD.matcher(list)
                .results()
                .map(found -> found.group().replace('-', '_').toUpperCase(Locale.ROOT))
                .collect(toSet());
        return Stream.of(
                        MessageState.values(),
                        CancelOutcome.values(),
                        RescheduleOutcome.values(),
                        ReplayOutcome.values(),
                        OnDuplicate.values(),
                        DeadLetterCause.values())
                .map(constants -> Arrays.stream(constants).map(Enum::name).collect(toSet()))
                .anyMatch(constants -> {
                    Set<String> listed = new HashSet<>(constants);
                    listed.retainAll(words);
                    return listed.size() >= 2 && listed.size() < constants.size();
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "States are `scheduled`, `ready` (due, [waits](page.md#a)),\n`leased` and `dead`.",
                "view(MessageView.READY);   // or SCHEDULED, LEASED; a page",
                "cancel(id);   // CANCELLED, NOT_FOUND"
            })
    void anIncompleteListIsFound(String text) {
        assertThat(incompleteLists(text)).hasSize(1);
    }

    @Test
    void theTableOfAttributesHasEachAttributeAndItsDefault() {
        String page = read(Path.of("docs", "listening.md"));
        String table = page.substring(page.indexOf("<!-- attributes:"), page.indexOf("<!-- end of attributes -->"));
        Map<String, String> rows = new TreeMap<>();
        for (String row :
                table.lines().filter(line -> line.startsWith("| `")).skip(1).toList()) {
            String[] cells = row.split("\\|");
            String value = cells[2].replace("`", "").strip();
            CODE.matcher(cells[1]).results().forEach(name -> rows.put(name.group(1), value));
        }

        assertThat(rows.keySet()).isEqualTo(attributes(DelayListener.class));
        rows.forEach((name, value) -> {
            String known = DEFAULTS.get("delayqueue.listener." + DataObjectPropertyName.toDashedForm(name));
            if (known != null) {
                assertThat(value).as(name).isEqualTo(known);
            }
        });
        String after = page.substring(page.indexOf("\n`@DeadLetterListener` has"));
        assertThat(CODE.matcher(after.substring(1, after.indexOf("\n\n")))
                        .results()
                        .skip(1)
                        .map(name -> name.group(1)))
                .containsExactlyInAnyOrderElementsOf(attributes(DeadLetterListener.class));
    }

    private static Set<String> attributes(Class<?> annotation) {
        return Arrays.stream(annotation.getDeclaredMethods())
                .map(Method::getName)
                .collect(toSet());
    }

    private static Map<String, String> defaults() {
        Map<String, String> defaults = new TreeMap<>();
        try {
            for (URL url : Collections.list(
                    FactsTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
                for (JsonNode property :
                        JsonMapper.shared().readTree(url.openStream()).path("properties")) {
                    String name = property.path("name").asString();
                    if (name.startsWith("delayqueue")) {
                        defaults.put(name, property.path("defaultValue").asString(""));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return defaults;
    }
}
