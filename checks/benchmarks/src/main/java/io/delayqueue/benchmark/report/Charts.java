package io.delayqueue.benchmark.report;

import static io.delayqueue.benchmark.result.Quantity.RATE;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Charts of a run with medians over the rounds. Missing measurements are omitted. Not thread-safe. */
final class Charts {

    private static final List<Measure> BY_PARTY = List.of(Measure.SEND, Measure.SEND_ALL_8, Measure.DRAIN);
    private static final List<Quantity> LATENESS = List.of(Quantity.P50, Quantity.P99, Quantity.P999, Quantity.MAX);
    private static final List<Party> GROWING = List.of(Party.PRODUCT, Party.FLOOR_LETTUCE, Party.FLOOR_JEDIS);

    private final Summary summary;
    private final Path directory;
    private final List<Picture> pictures = new ArrayList<>();

    private Charts(Summary summary, Path directory) {
        this.summary = summary;
        this.directory = directory;
    }

    /**
     * Draws all charts that have data.
     *
     * @return the pictures in the order of the document
     * @throws IOException if a file cannot be written
     */
    static List<Picture> draw(Summary summary, Path directory) throws IOException {
        Charts charts = new Charts(summary, directory);
        charts.rates();
        charts.lateness();
        charts.growth();
        charts.cpu();
        return List.copyOf(charts.pictures);
    }

    private void rates() throws IOException {
        List<Panel> panels = new ArrayList<>();
        for (Measure measure : BY_PARTY) {
            List<Party> parties = new ArrayList<>(summary.parties(measure, 0));
            // Omitted because it works within one process: the bars of the others would be too small to be compared.
            parties.remove(Party.JAVA);
            List<String> titles = parties.stream().map(Party::title).toList();
            Panel panel = Panel.ofSingleBars(measure.title(), "messages/s", titles, "#,##0");
            for (int index = 0; index < parties.size(); index++) {
                List<@Nullable Double> numbers = new ArrayList<>(Collections.nCopies(parties.size(), null));
                numbers.set(index, orNull(summary.median(measure, parties.get(index), 0, RATE)));
                panel.add(parties.get(index), numbers);
            }
            OptionalDouble java = summary.median(measure, Party.JAVA, 0, RATE);
            if (java.isPresent()) {
                panel.below("not drawn: " + Party.JAVA.title() + ", within one process, "
                        + Numbers.withUnit(java.getAsDouble(), RATE));
            }
            panels.add(panel);
        }
        write("rates.png", "Rates by party, nothing scheduled", panels, 1, 300);
    }

    private void lateness() throws IOException {
        DoubleSummaryStatistics all = new DoubleSummaryStatistics();
        for (long scheduled : summary.scheduled(Measure.LATENESS)) {
            for (Party party : summary.parties(Measure.LATENESS, scheduled)) {
                LATENESS.forEach(
                        quantity -> lateness(party, scheduled, quantity).ifPresent(all));
            }
        }
        if (all.getCount() == 0) {
            return;
        }
        List<Panel> panels = new ArrayList<>();
        for (long scheduled : summary.scheduled(Measure.LATENESS)) {
            // All panels have the same range, so that they can be compared.
            Panel panel = Panel.ofLogarithmicLines(
                    Measure.LATENESS.title() + ": " + Numbers.scheduled(scheduled),
                    "ms, logarithmic",
                    LATENESS.stream().map(Quantity::title).toList(),
                    Math.pow(10, Math.floor(Math.log10(all.getMin()))),
                    Math.pow(10, Math.floor(Math.log10(all.getMax())) + 1));
            for (Party party : summary.parties(Measure.LATENESS, scheduled)) {
                panel.add(party, numbers(LATENESS, quantity -> lateness(party, scheduled, quantity)));
            }
            panels.add(panel);
        }
        write("lateness.png", "Lateness by party", panels, 1, 420);
    }

    /** What can be drawn in steps of ten: nothing of 0 or less. */
    private OptionalDouble lateness(Party party, long scheduled, Quantity quantity) {
        OptionalDouble late = summary.median(Measure.LATENESS, party, scheduled, quantity);
        return late.isPresent() && late.getAsDouble() > 0 ? late : OptionalDouble.empty();
    }

    private void growth() throws IOException {
        List<Panel> panels = new ArrayList<>();
        for (Measure measure : MarkdownReport.GROWING) {
            SortedSet<Long> counts = summary.scheduled(measure, Party.PRODUCT, RATE);
            if (counts.size() > 1) {
                Panel panel = Panel.ofLines(
                        measure.title(),
                        "messages/s",
                        counts.stream().map(Numbers::count).toList());
                for (Party party : GROWING) {
                    panel.add(
                            party, numbers(List.copyOf(counts), count -> summary.median(measure, party, count, RATE)));
                }
                panels.add(panel.below("messages scheduled for later in the same topic"));
            }
        }
        write("growth.png", "Rates by what is scheduled", panels, 2, 380);
    }

    private void cpu() throws IOException {
        Panel panel = Panel.ofBars(
                "Redis CPU per message, user and system",
                Quantity.CPU_USER.unit() + " per message",
                BY_PARTY.stream().map(Measure::title).toList(),
                "#,##0.0");
        for (Party party : Party.values()) {
            panel.add(party, numbers(BY_PARTY, measure -> summary.cpu(measure, party, 0)));
        }
        write("cpu.png", "Redis CPU per message by party, nothing scheduled", List.of(panel), 1, 420);
    }

    private void write(String file, String title, List<Panel> panels, int columns, int height) throws IOException {
        List<Panel> drawn = panels.stream().filter(panel -> !panel.isEmpty()).toList();
        if (!drawn.isEmpty()) {
            int width = columns == 1 ? 1000 : 600;
            new PngFile(directory.resolve(file), columns, width, height).write(drawn);
            pictures.add(new Picture(file, title));
        }
    }

    private static <T> List<@Nullable Double> numbers(List<T> categories, Function<T, OptionalDouble> number) {
        List<@Nullable Double> numbers = new ArrayList<>();
        categories.forEach(category -> numbers.add(orNull(number.apply(category))));
        return numbers;
    }

    private static @Nullable Double orNull(OptionalDouble number) {
        return number.isPresent() ? (Double) number.getAsDouble() : null;
    }
}
