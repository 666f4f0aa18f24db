package io.delayqueue.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A scrape of an application by Prometheus, parsed into series. */
public final class Scrape {

    private static final Pattern LINE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)", Pattern.DOTALL);
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"(?:,|$)");

    private static final Pattern SELECTOR = Pattern.compile("(delayqueue_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");
    /** Labels that Prometheus adds to each series. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private final List<Series> series = new ArrayList<>();
    private final Map<String, String> helps = new TreeMap<>();

    /** A series with its value. */
    public record Series(String name, Map<String, String> labels, double value) {}

    private Scrape(String text) {
        text.lines().forEach(line -> {
            if (line.startsWith("# HELP ")) {
                String[] parts = line.split(" ", 4);
                helps.put(parts[2], parts[3]);
            } else if (!line.startsWith("#")) {
                series.add(parse(line));
            }
        });
    }

    /** Parses the text of a scrape. */
    public static Scrape of(String text) {
        return new Scrape(text);
    }

    private static Series parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new AssertionError("This is no line of Prometheus' text format: " + line);
        }
        Map<String, String> labels = new TreeMap<>();
        String written = matcher.group(2) == null ? "" : matcher.group(2);
        Matcher label = LABEL.matcher(written);
        int end = 0;
        while (label.find() && label.start() == end) {
            end = label.end();
            String value =
                    label.group(2).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
            labels.put(label.group(1), value);
        }
        if (end != written.length()) {
            throw new AssertionError("These are no labels: " + written);
        }
        return new Series(matcher.group(1), labels, Double.parseDouble(matcher.group(3)));
    }

    /** The series of the queue. */
    public List<Series> series() {
        return series.stream()
                .filter(each -> each.name().startsWith("delayqueue_"))
                .toList();
    }

    /** The names of the series. */
    public Set<String> names() {
        return series().stream().map(Series::name).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The labels of the series with a name. */
    public Set<String> labels(String name) {
        return series().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no series " + name + ", but " + names()))
                .labels()
                .keySet();
    }

    /** The descriptions of meters by name. */
    public Map<String, String> helps() {
        return helps;
    }

    /** Checks that each series and each label of an expression was scraped. */
    public void check(String expression) {
        Set<String> labels = new HashSet<>(OF_PROMETHEUS);
        List<MatchResult> selectors = SELECTOR.matcher(expression).results().toList();
        assertThat(selectors).as(expression).isNotEmpty();
        for (MatchResult selector : selectors) {
            Set<String> own = labels(selector.group(1));
            labels.addAll(own);
            String matchers = selector.group(2) == null ? "" : selector.group(2);
            assertThat(MATCHER.matcher(matchers).results().map(matcher -> matcher.group(1)))
                    .as(expression)
                    .isSubsetOf(union(own, OF_PROMETHEUS));
        }
        assertThat(grouped(expression)).as(expression).isSubsetOf(labels);
        assertThat(count(expression, '(')).as(expression).isEqualTo(count(expression, ')'));
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** The labels by which an expression groups. */
    public static Set<String> grouped(String expression) {
        return GROUPING.matcher(expression)
                .results()
                .flatMap(group -> Arrays.stream(group.group(1).split(",")))
                .map(String::strip)
                .collect(Collectors.toSet());
    }

    private static long count(String text, char wanted) {
        return text.chars().filter(each -> each == wanted).count();
    }
}
