package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The format of numbers and JSON. */
class DashboardFormatTests extends DashboardScriptTest {

    @ParameterizedTest
    @CsvSource({
        "0,0 ms",
        "999,999 ms",
        "1000,1 s",
        "59999,59 s",
        "60000,1 m",
        "192000,3 m 12 s",
        "7500000,2 h 5 m",
        "3600000,1 h",
        "273600000,3 d 4 h",
        "864000000000,'10,000 d'"
    })
    void spanHasAtMostTwoUnits(long millis, String text) {
        assertThat(call("span", millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,<0.1/s", "6,0.1/s", "90,1.5/s", "599,10/s", "750,13/s", "600000,'10,000/s'"})
    void numberOfAMinuteIsShownAsARate(long number, String text) {
        assertThat(call("perSecond", number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "1023,'1,023 B'", "1024,1 KiB", "8400,8.2 KiB", "1048576,1 MiB", "5368709120,5 GiB"})
    void sizeHasAUnit(long bytes, String text) {
        assertThat(call("bytes", bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @MethodSource
    void jsonIsIndented(String json, String text) {
        assertThat(call("indented", json)).isEqualTo(text);
    }

    static Stream<Arguments> jsonIsIndented() {
        return Stream.of(
                Arguments.of("{\"a\":24.50,\"b\":[1,2]}", "{\n  \"a\": 24.50,\n  \"b\": [\n    1,\n    2\n  ]\n}"),
                Arguments.of("{\"a\":{},\"b\":[]}", "{\n  \"a\": {},\n  \"b\": []\n}"),
                Arguments.of("\"a{,:}\\\"b\"", "\"a{,:}\\\"b\""),
                Arguments.of("12345678901234567890", "12345678901234567890"),
                Arguments.of("{\"half", "{\"half"),
                Arguments.of("just text", "just text"));
    }

    @ParameterizedTest
    @CsvSource({
        "100,60000,100/min,100/1m",
        "1000,3600000,'1,000/h',1000/1h",
        "5,10000,5/10 s,5/10s",
        "7,500,7/500 ms,7/500ms"
    })
    void rateHasAUnit(int count, long period, String shown, String entered) {
        Map<String, Object> rate = Map.of("count", count, "periodMillis", period);
        assertThat(call("rateText", rate)).isEqualTo(shown);
        assertThat(call("rateValue", rate)).isEqualTo(entered);
    }

    @Test
    void limitsAreDescribed() {
        Map<String, Object> rate = Map.of("count", 100, "periodMillis", 60_000, "burst", 7);
        assertThat(call("limitsText", Map.of("maxConcurrent", 3, "rate", rate, "maxMessages", 1)))
                .isEqualTo("at most 3 at a time, 100/min in bursts of at most 7, at most 1 message");
        assertThat(call("limitsText", Map.of("maxConcurrentPerKey", 2))).isEqualTo("at most 2 at a time per key");
        assertThat(call("limitsText", Map.of())).isEqualTo("none");
    }

    @Test
    void parkedMessagesAreExplained() {
        assertThat(call("parkedText", Map.of("parked", 1)))
                .isEqualTo("1 of the ready messages waits for another message of its key");
        assertThat(call("parkedText", Map.of("parked", 1000)))
                .isEqualTo("1,000 of the ready messages wait for another message of their key");
    }

    @Test
    void whatHoldsMessagesBackIsNamed() {
        Map<String, Object> effective = Map.of(
                "maxConcurrent", 3,
                "maxConcurrentPerKey", 2,
                "rate", Map.of("count", 100, "periodMillis", 60_000));
        Map<String, Object> limits = Map.of("effective", effective, "emptyAt", "2030-01-31T12:40:00Z");
        assertThat(call("heldBackText", with(limits, "rate")))
                .startsWith("held back by its rate of 100/min; empty at ")
                .contains(":40");
        assertThat(call("heldBackText", with(limits, "concurrency")))
                .isEqualTo("held back by its limit of 3 at a time");
        assertThat(call("heldBackText", with(limits, "concurrency_per_key")))
                .isEqualTo("held back by its per-key limit of 2 at a time");
        assertThat(call("heldBackText", with(limits, "hold"))).isEqualTo("held back by a message");
    }

    @Test
    void eachCountedNounHasItsPlural() throws IOException {
        Pattern calls = Pattern.compile("counted\\([^,]+, '([^']+)'(?:, '([^']+)')?\\)");
        Set<String> tried = new HashSet<>();
        for (MatchResult call : calls.matcher(scripts.text()).results().toList()) {
            String one = call.group(1);
            String many = call.group(2);
            String regular = one.matches(".*(s|x|z|ch|sh)") ? one + "es" : one.replaceFirst("[^aeiou]y$", "?") + "s";
            assertThat(List.of("0 " + regular, "1 " + one, "2 " + regular))
                    .isEqualTo(Stream.of(0, 1, 2)
                            .map(number ->
                                    many == null ? call("counted", number, one) : call("counted", number, one, many))
                            .toList());
            tried.add(one);
        }
        assertThat(tried).contains("message", "crash", "dead letter", "topic");
    }

    private static Map<String, Object> with(Map<String, Object> limits, String heldBackBy) {
        Map<String, Object> all = new TreeMap<>(limits);
        all.put("heldBackBy", heldBackBy);
        return all;
    }

    private static String call(String function, Object... arguments) {
        return scripts.run(
                        "const format = await import('./format.js'); return format[arguments[0]](...arguments[1]);",
                        function,
                        arguments)
                .asString();
    }
}
