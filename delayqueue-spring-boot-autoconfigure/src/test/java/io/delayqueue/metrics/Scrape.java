package io.delayqueue.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A scrape of an application by Prometheus, parsed into series. */
final class Scrape {

    private static final Pattern LINE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)", Pattern.DOTALL);
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"(?:,|$)");

    private final List<Series> series = new ArrayList<>();
    private final Map<String, String> helps = new TreeMap<>();

    record Series(String name, Map<String, String> labels, double value) {}

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

    static Scrape of(PrometheusMeterRegistry registry) {
        return new Scrape(registry.scrape());
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
    List<Series> series() {
        return series.stream()
                .filter(each -> each.name().startsWith("delayqueue_"))
                .toList();
    }

    Set<String> names() {
        return series().stream().map(Series::name).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The labels of the series with a name. */
    Set<String> labels(String name) {
        return series().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no series " + name + ", but " + names()))
                .labels()
                .keySet();
    }

    Map<String, String> helps() {
        return helps;
    }
}
