package io.delayqueue.benchmark.report;

import static io.delayqueue.benchmark.result.Quantity.RATE;

import io.delayqueue.benchmark.report.Goal.Verdict;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/** Formats a run as a Markdown document. Not thread-safe. */
final class MarkdownReport {

    /** Quantities shown with their spread: rates and quantities that are checked in each round. */
    private static final Set<Quantity> WITH_SPREAD = Set.of(
            RATE,
            Quantity.MAX,
            Quantity.EARLY,
            Quantity.TWICE,
            Quantity.LEFT,
            Quantity.LONGEST_SCRIPT,
            Quantity.READY_AFTER);

    /** Measures whose rates are shown by the number of scheduled messages. */
    static final List<Measure> GROWING = List.of(Measure.SEND, Measure.SEND_ALL_1, Measure.SEND_ALL_8, Measure.DRAIN);

    private static final Map<Party, String> COMPARED =
            Map.of(Party.REDISSON, "to Redisson", Party.ORIGINAL, "to the original");

    private record Column(String head, Function<Party, String> cell) {}

    private final Summary summary;
    private final StringBuilder text = new StringBuilder();

    private MarkdownReport(Summary summary) {
        this.summary = summary;
    }

    /**
     * Returns the document.
     *
     * @param pictures the charts in the directory of the document
     */
    static String of(Run run, Summary summary, List<Goal> goals, List<Picture> pictures) {
        MarkdownReport report = new MarkdownReport(summary);
        report.text.append("# Benchmark, profile ").append(run.profile()).append("\n\n");
        report.environment(run);
        report.goals(goals);
        report.pictures(pictures);
        report.measurements();
        report.growth();
        return report.text.toString().stripTrailing() + "\n";
    }

    private void environment(Run run) {
        MarkdownTable table = new MarkdownTable(2, List.of("environment", ""));
        run.environment().forEach((label, value) -> table.row(List.of(label, value)));
        text.append(table).append('\n');
        if (summary.leftOut() > 0) {
            text.append("Values that were no finite numbers, and are left out: ")
                    .append(Numbers.count(summary.leftOut()))
                    .append(".\n\n");
        }
    }

    private void goals(List<Goal> goals) {
        text.append("## Goals\n\n");
        List<String> counts = new ArrayList<>();
        for (Verdict verdict : Verdict.values()) {
            long count =
                    goals.stream().filter(goal -> goal.verdict() == verdict).count();
            if (count > 0) {
                counts.add(count + " " + verdict.title());
            }
        }
        text.append(String.join(", ", counts))
                .append(". Medians over the rounds; a ratio is the ratio of two medians. The floor is the faster of ")
                .append("bare Lettuce and bare Jedis running the same scripts. The greatest lateness, messages"
                        + " before their time ")
                .append("and the longest script are those of the worst round.\n\n");
        MarkdownTable table = new MarkdownTable(4, List.of("measure", "goal", "measured", ""));
        for (Goal goal : goals) {
            table.row(List.of(goal.title(), goal.goal(), goal.measured(), mark(goal.verdict())));
        }
        text.append(table).append('\n');
    }

    private void pictures(List<Picture> pictures) {
        if (pictures.isEmpty()) {
            return;
        }
        text.append("## Pictures\n\n");
        for (Picture picture : pictures) {
            text.append("![")
                    .append(picture.title())
                    .append("](")
                    .append(picture.file())
                    .append(")\n\n");
        }
    }

    private void measurements() {
        text.append("## Measurements\n\nMedians over up to ")
                .append(summary.rounds())
                .append(" rounds; minimum and maximum in brackets.\n\n");
        for (Measure measure : Measure.values()) {
            for (long scheduled : summary.scheduled(measure)) {
                measurement(measure, scheduled);
            }
        }
    }

    private void measurement(Measure measure, long scheduled) {
        List<Column> columns = new ArrayList<>();
        for (Quantity quantity : summary.quantities(measure, scheduled)) {
            if (Quantity.LAG.contains(quantity) || Quantity.LAG_LATEST.contains(quantity)) {
                continue; // has a table of its own
            }
            columns.add(new Column(head(quantity), party -> cell(measure, party, scheduled, quantity)));
            if (quantity == RATE) {
                columns.addAll(ratios(measure, scheduled));
            }
        }
        List<String> heads = new ArrayList<>(List.of(""));
        columns.forEach(column -> heads.add(column.head()));
        MarkdownTable table = new MarkdownTable(1, heads);
        for (Party party : summary.parties(measure, scheduled)) {
            List<String> cells = new ArrayList<>(List.of(party.title()));
            columns.forEach(column -> cells.add(column.cell().apply(party)));
            table.row(cells);
        }
        text.append("### ").append(measure.title()).append(": ").append(Numbers.scheduled(scheduled));
        text.append("\n\n");
        if (!measure.remark().isEmpty()) {
            text.append(measure.remark()).append("\n\n");
        }
        text.append(table).append('\n');
        if (measure == Measure.LAG) {
            lag(scheduled);
        }
    }

    /** The parts of the lateness, which add up to it. */
    private void lag(long scheduled) {
        double middle = lag(Quantity.LAG, scheduled);
        double latest = lag(Quantity.LAG_LATEST, scheduled);
        MarkdownTable table =
                new MarkdownTable(1, List.of("", "around the median (ms)", "share", "latest 1 % (ms)", "share"));
        for (int part = 0; part < Quantity.LAG.size(); part++) {
            double mean = lag(List.of(Quantity.LAG.get(part)), scheduled);
            double late = lag(List.of(Quantity.LAG_LATEST.get(part)), scheduled);
            table.row(List.of(
                    Quantity.LAG.get(part).title(),
                    Numbers.plain(mean),
                    Numbers.percent(mean / middle),
                    Numbers.plain(late),
                    Numbers.percent(late / latest)));
        }
        table.row(List.of("sum", Numbers.plain(middle), "", Numbers.plain(latest), ""));
        text.append("Means of the parts, of the fifth of the messages around the median and of the latest 1 %:\n\n")
                .append(table)
                .append('\n');
    }

    /** The sum of quantities of the product, or NaN if one is missing. */
    private double lag(List<Quantity> quantities, long scheduled) {
        return quantities.stream()
                .mapToDouble(quantity -> summary.median(Measure.LAG, Party.PRODUCT, scheduled, quantity)
                        .orElse(Double.NaN))
                .sum();
    }

    private List<Column> ratios(Measure measure, long scheduled) {
        List<Column> columns = new ArrayList<>();
        if (summary.floor(measure, scheduled).isPresent()) {
            columns.add(new Column(
                    "of the floor", party -> orNone(summary.ofFloor(measure, party, scheduled), Numbers::percent)));
        }
        COMPARED.forEach((other, head) -> {
            if (summary.median(measure, other, scheduled, RATE).isPresent()) {
                columns.add(new Column(
                        head, party -> orNone(summary.timesOf(other, measure, party, scheduled), Numbers::times)));
            }
        });
        return columns;
    }

    private String cell(Measure measure, Party party, long scheduled, Quantity quantity) {
        return summary.spread(measure, party, scheduled, quantity)
                .map(spread -> Numbers.plain(spread.median()) + brackets(spread, quantity))
                .orElse(Numbers.NONE);
    }

    private void growth() {
        MarkdownTable table = new MarkdownTable(
                1, List.of("", "scheduled", Party.PRODUCT.title() + " (/s)", "change", "floor (/s)", "change"));
        boolean any = false;
        for (Measure measure : GROWING) {
            SortedSet<Long> counts = summary.scheduled(measure, Party.PRODUCT, RATE);
            if (counts.size() > 1) {
                growth(measure, counts, table);
                any = true;
            }
        }
        if (any) {
            text.append("## Growth\n\nRates by the number of messages that are scheduled for later in the same topic. ")
                    .append("Changes are relative to ")
                    .append(Numbers.count(Limits.GROWTH_FROM))
                    .append(" scheduled, or to the smallest number of a run without it.\n\n")
                    .append(table);
        }
    }

    private void growth(Measure measure, SortedSet<Long> counts, MarkdownTable table) {
        long from = counts.contains(Limits.GROWTH_FROM) ? Limits.GROWTH_FROM : counts.first();
        for (long count : counts) {
            boolean grown = count > from;
            table.row(List.of(
                    measure.title(),
                    Numbers.count(count),
                    orNone(summary.median(measure, Party.PRODUCT, count, RATE), Numbers::plain),
                    grown ? orNone(summary.change(measure, Party.PRODUCT, from, count), Numbers::change) : "",
                    orNone(summary.floorRate(measure, count), Numbers::plain),
                    grown ? orNone(summary.floorChange(measure, from, count), Numbers::change) : ""));
        }
    }

    /** Title of a verdict with a leading symbol. */
    private static String mark(Verdict verdict) {
        return switch (verdict) {
                    case MET -> "✓ ";
                    case NOT_MET -> "✗ ";
                    case NOT_MEASURED -> "";
                }
                + verdict.title();
    }

    private static String head(Quantity quantity) {
        return quantity.unit().isEmpty() ? quantity.title() : quantity.title() + " (" + quantity.unit() + ")";
    }

    private static String brackets(Spread spread, Quantity quantity) {
        return WITH_SPREAD.contains(quantity) && spread.min() < spread.max()
                ? " (" + Numbers.plain(spread.min()) + "–" + Numbers.plain(spread.max()) + ")"
                : "";
    }

    private static String orNone(OptionalDouble number, DoubleFunction<String> text) {
        return number.isPresent() ? text.apply(number.getAsDouble()) : Numbers.NONE;
    }
}
