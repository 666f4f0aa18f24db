package io.delayqueue.metrics.observation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.docs.KeyName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of observations in docs/tracing.md is what is observed. */
class ObservationTableTests {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    @Test
    void theTableHasEachNameAndKey() throws IOException {
        assertRow(DelayQueueObservation.SEND, new DelayQueueSendObservationConvention() {}.getName());
        assertRow(DelayQueueObservation.RECEIVE, new DelayQueueReceiveObservationConvention() {}.getName());
        assertRow(DelayQueueObservation.PROCESS, new DelayQueueProcessObservationConvention() {}.getName());
    }

    private static void assertRow(DelayQueueObservation observation, String name) throws IOException {
        String row = Files.readString(Path.of("..", "docs", "tracing.md"), UTF_8)
                .lines()
                .filter(line -> line.startsWith("| `" + name + "` |"))
                .findFirst()
                .orElseThrow();
        List<String> code =
                CODE.matcher(row).results().map((MatchResult it) -> it.group(1)).toList();
        assertThat(code)
                .isEqualTo(Stream.of(
                                Stream.of(name),
                                Stream.of(observation.getLowCardinalityKeyNames())
                                        .map(KeyName::asString),
                                Stream.of(observation.getHighCardinalityKeyNames())
                                        .map(KeyName::asString))
                        .flatMap(part -> part)
                        .toList());
    }
}
