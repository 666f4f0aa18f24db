package io.delayqueue.benchmark.report;

import static io.delayqueue.benchmark.result.Quantity.RATE;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * The picture of the rate at which due messages are delivered, as SVG for light and dark pages: bars of the product, the
 * other queues on Redis, and the floor. Its text is large enough for the width of a phone. Missing measurements are
 * omitted. The same run results in the same files.
 */
final class Overview {

    /** The file for light pages. */
    static final String LIGHT = "overview-light.svg";

    /** The file for dark pages. */
    static final String DARK = "overview-dark.svg";

    private static final int WIDTH = 600;
    private static final int MARGIN = 10;
    private static final int BAR_FROM = 126;
    private static final int BAR_LENGTH = 362;
    private static final int BAR_HEIGHT = 20;
    private static final int ROW = 27;
    private static final int HEAD = 34;
    private static final int FOOT = 22;
    private static final int SIGNIFICANT = 3;
    private static final String HEADING = "drain: deliver due messages to 8 handlers";
    private static final String FLOOR = "floor";
    private static final List<Party> PARTIES = List.of(Party.PRODUCT, Party.REDISSON, Party.BULLMQ);

    /** The colours of a page: of text, of notes, of the product, and of the others. */
    private record Colours(String text, String note, String product, String other) {}

    private static final Map<String, Colours> FILES = Map.of(
            LIGHT, new Colours("#1f2328", "#59636e", "#0969da", "#afb8c1"),
            DARK, new Colours("#f0f6fc", "#9198a1", "#4493f8", "#656c76"));

    /** A bar with its label and its value as text. */
    private record Bar(String label, double value, String text) {}

    private final List<Bar> bars = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final SortedSet<Integer> rounds = new TreeSet<>();

    private Overview(Run run, Summary summary) {
        for (Party party : PARTIES) {
            add(party.title(), summary.median(Measure.DRAIN, party, 0, RATE));
            summary.spread(Measure.DRAIN, party, 0, RATE).ifPresent(spread -> rounds.add(spread.rounds()));
        }
        add(FLOOR, summary.floorRate(Measure.DRAIN, 0));
        String processors = run.environment().get("Processors");
        String server = run.environment().getOrDefault("Server", "Redis").replaceFirst(",.*", "");
        notes.add("Messages of 200 bytes"
                + (processors == null ? "" : ", " + server + " and clients on " + processors + " processors"));
        if (!rounds.isEmpty()) {
            notes.add(roundsText(rounds.first(), rounds.last()));
        }
        notes.add("Floor: delayqueue's scripts with prepared arguments, bare client");
        notes.add("Redisson: no acknowledgement, many messages up to 1 ms early");
    }

    private void add(String label, OptionalDouble rate) {
        if (rate.isPresent()) {
            bars.add(new Bar(label, rate.getAsDouble(), Numbers.withUnit(rounded(rate.getAsDouble()), RATE)));
        }
    }

    private static String roundsText(int fewest, int most) {
        if (most == 1) {
            return "One round";
        }
        return "Medians of " + (fewest == most ? "" : fewest + " to ") + most + " rounds";
    }

    /** A number with three significant digits. */
    private static double rounded(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, value))) - SIGNIFICANT + 1);
        return Math.rint(value / unit) * unit;
    }

    /**
     * Writes both files and replaces existing ones.
     *
     * @return the picture for light pages, or none if the run has no measurement that is shown
     * @throws IOException if a file cannot be written
     */
    static List<Picture> write(Run run, Summary summary, Path directory) throws IOException {
        Overview overview = new Overview(run, summary);
        if (overview.bars.isEmpty()) {
            return List.of();
        }
        for (Map.Entry<String, Colours> file : FILES.entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), overview.svg(file.getValue()));
        }
        return List.of(new Picture(LIGHT, overview.description()));
    }

    /** The values as text, for readers that do not see the picture. */
    private String description() {
        StringJoiner values = new StringJoiner(", ");
        bars.forEach(bar -> values.add(bar.label() + " " + bar.text()));
        return HEADING + ": " + values;
    }

    private String svg(Colours colours) {
        StringBuilder body = new StringBuilder();
        int y = HEAD;
        text(body, MARGIN, y - 10, colours.text(), "font-weight=\"600\" ", HEADING);
        double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        for (Bar bar : bars) {
            int length = (int) Math.max(1, Math.round(BAR_LENGTH * bar.value() / most));
            int baseline = y + BAR_HEIGHT - 4;
            text(body, BAR_FROM - 8, baseline, colours.text(), "text-anchor=\"end\" ", bar.label());
            rectangle(body, y, length, bar.label(), colours);
            text(body, BAR_FROM + length + 8, baseline, colours.text(), "", bar.text());
            y += ROW;
        }
        for (String note : notes) {
            y += FOOT;
            text(body, MARGIN, y - 8, colours.note(), "font-size=\"16\" ", note);
        }
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\""
                        + " font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"18\">\n"
                        + "<title>%s</title>\n%s</svg>\n",
                WIDTH,
                y + MARGIN,
                WIDTH,
                y + MARGIN,
                escaped(description()),
                body);
    }

    private static void rectangle(StringBuilder body, int y, int length, String label, Colours colours) {
        String look = label.equals(FLOOR)
                ? "fill=\"none\" stroke=\"" + colours.note() + "\" stroke-dasharray=\"4 3\""
                : "fill=\"" + (label.equals(Party.PRODUCT.title()) ? colours.product() : colours.other()) + "\"";
        body.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" %s/>\n",
                BAR_FROM,
                y,
                length,
                BAR_HEIGHT,
                look));
    }

    private static void text(StringBuilder body, int x, int y, String colour, String attributes, String text) {
        body.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" %sfill=\"%s\">%s</text>\n",
                x,
                y,
                attributes,
                colour,
                escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
