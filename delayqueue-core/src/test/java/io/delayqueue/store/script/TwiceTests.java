package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Scenarios.Scenario;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every script executed twice in a row, as a client does that sends an unanswered command again after a reconnect. */
class TwiceTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    static Stream<Scenario> scenarios() {
        return Scenarios.all();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theSecondTimeChangesNothingAndRepliesAlike(Scenario scenario) {
        scenario.begin(bench);
        scenario.run(bench);
        ShardState once = bench.state();
        Map<String, String> meta = bench.meta("meta");

        scenario.begin(bench);
        bench.twice();
        scenario.run(bench);
        assertThat(bench.state()).hasToString(once.toString());
        assertThat(bench.meta("meta"))
                .usingRecursiveComparison()
                .ignoringFields("identity")
                .isEqualTo(withIdentity(meta));
        assertFirstReplyIsRepeated(scenario);
    }

    private static Map<String, String> withIdentity(Map<String, String> meta) {
        meta.put("identity", bench.meta("meta").get("identity"));
        return meta;
    }

    private static void assertFirstReplyIsRepeated(Scenario scenario) {
        List<List<Object>> replies = bench.replies();
        assertThat(replies).hasSize(2);
        if (scenario.script().equals("poll")) {
            for (int part = 0; part < 12; part++) {
                assertThat(part(replies.get(1), part)).as("part " + part).isEqualTo(part(replies.get(0), part));
            }
        } else if (scenario.script().equals("send")) {
            String first =
                    replies.get(0).size() == 2 ? "a" : text(replies.get(0).get(2));
            assertThat(text(replies.get(1).get(2)))
                    .isIn(
                            first.toUpperCase(Locale.ROOT).replace('F', 'f'), // remembered, unless the topic was full
                            first.replace('a', 's').replace('r', 's'));
        }
    }

    @Test
    void theSecondAnswerOfARescheduleByADelayMovesItNoEarlier() {
        bench.given(state("scheduled a 5"));
        bench.reschedule("a", new Due(100, true));
        bench.clock(T0 + 3);
        bench.reschedule("a", new Due(100, true));
        assertThat(bench.state().get("schedule")).containsEntry("a", "" + (T0 + 103));
    }

    @Test
    void openAndRegisterChangeNothingTheSecondTime() {
        bench.redis().call("FLUSHALL");
        bench.clock(T0);
        bench.twice();
        bench.store().enableNotifications(bench.shard()).join();
        bench.undisturbed();
        String registered = bench.redis().text("HGET", bench.keySpace().topics(), "orders");
        assertThat(bench.meta("meta")).containsEntry("identity", "1:" + registered);
        assertThat(bench.state()).hasToString("");
    }

    /** A part of a reply. The script omits empty lists at the end, and a list of nulls says as much as an empty one. */
    private static String part(List<Object> reply, int index) {
        Object part = index < reply.size() ? reply.get(index) : List.of();
        return part instanceof List<?> list && list.stream().allMatch(Objects::isNull) ? "[]" : text(part);
    }

    private static String text(Object part) {
        return part instanceof byte[] bytes
                ? new String(bytes, UTF_8).replace("w0-2 ", "- ") // whose delivery it was before is nobody's matter
                : part instanceof List<?> list
                        ? list.stream().map(TwiceTests::text).toList().toString()
                        : "" + part;
    }
}
