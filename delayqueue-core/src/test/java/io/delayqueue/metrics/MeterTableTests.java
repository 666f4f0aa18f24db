package io.delayqueue.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of meters in docs/metrics.md is what the enum says. */
class MeterTableTests {

    private static final String MARK = "<!-- meters:";
    private static final String BEGIN = "|---|---|---|---|\n";
    private static final String END = "<!-- end of meters -->";

    @Test
    void tableIsWhatTheEnumSays() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "metrics.md"), UTF_8);
        int begin = page.indexOf(BEGIN, page.indexOf(MARK)) + BEGIN.length();
        List<String> rows = page.substring(begin, page.indexOf(END)).lines().toList();
        List<String> expected =
                Stream.of(DelayQueueMeters.values()).map(MeterTableTests::row).toList();
        assertThat(rows)
                .as("the table; it should be\n" + String.join("\n", expected))
                .isEqualTo(expected);
    }

    private static String row(DelayQueueMeters meter) {
        String type = meter.getType().name().toLowerCase(Locale.ROOT);
        boolean seconds = meter.getType() == Meter.Type.GAUGE && meter.getBaseUnit() != null;
        String keys =
                Arrays.stream(meter.getKeyNames()).map(key -> key.asString()).collect(Collectors.joining(", "));
        return "| `" + meter.getName() + "` | " + type + (seconds ? ", s" : "") + " | "
                + (keys.isEmpty() ? "" : keys + " ") + "| " + meter.description() + " |";
    }

    @Test
    void eachNameIsInTheNamespaceAndOfOneMeter() {
        assertThat(DelayQueueMeters.values())
                .extracting(DelayQueueMeters::getName)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("delayqueue."));
        assertThat(DelayQueueMeters.values())
                .extracting(DelayQueueMeters::description)
                .allMatch(text -> text.endsWith("."));
    }
}
