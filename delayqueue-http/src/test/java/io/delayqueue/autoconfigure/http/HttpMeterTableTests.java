package io.delayqueue.autoconfigure.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of meters in docs/http.md matches the enum. */
class HttpMeterTableTests {

    private static final String BEGIN = "|---|---|---|---|\n";

    @Test
    void tableMatchesTheEnum() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "http.md"), UTF_8);
        int begin = page.indexOf(BEGIN, page.indexOf("<!-- meters:")) + BEGIN.length();
        List<String> rows = page.substring(begin, page.indexOf("<!-- end of meters -->"))
                .lines()
                .toList();
        List<String> expected =
                Stream.of(HttpMeter.values()).map(HttpMeterTableTests::row).toList();
        assertThat(rows)
                .as("the table; it should be\n" + String.join("\n", expected))
                .isEqualTo(expected);
    }

    private static String row(HttpMeter meter) {
        String keys =
                Arrays.stream(meter.getKeyNames()).map(key -> key.asString()).collect(Collectors.joining(", "));
        return "| `" + meter.getName() + "` | " + meter.getType().name().toLowerCase(Locale.ROOT) + " | "
                + (keys.isEmpty() ? "" : keys + " ") + "| " + meter.description() + " |";
    }
}
