package io.delayqueue.store.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a call costs, by Redis' own count: always one round trip, {@code EVALSHA}, and the commands within. An idle poll
 * is {@code EVALSHA} and five.
 */
class CommandCountTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withServerClock();

    private long sequence = 10;

    @BeforeEach
    void scriptsAreLoaded() {
        bench.send(Sends.after("warm", 0));
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.poll(Polls.by("w1", 2).acknowledge("warm", "w1-1"));
    }

    @Test
    void anIdlePollIsFiveCommands() {
        assertThat(poll(Polls.by("w1", 3).claim(500)))
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "zrange", 2L, "hset", 1L));
    }

    @Test
    void anIdlePollWithMessagesAheadIsFiveCommandsToo() {
        bench.send(Sends.after("a", 60_000));
        assertThat(sum(poll(Polls.by("w1", 3).claim(500)))).isEqualTo(1 + 5);
    }

    @Test
    void aLoneMessageCostsThreeCalls() {
        Map<String, Long> send = bench.commands(() -> bench.send(Sends.after("a", 0)));
        assertThat(send)
                .isEqualTo(Map.of(
                        "evalsha", 1L, "time", 1L, "hget", 1L, "hexists", 1L, "zadd", 1L, "hset", 1L, "hdel", 1L,
                        "zrank", 1L, "publish", 1L));
        assertThat(sum(poll(Polls.by("w1", 3).claim(500)))).isEqualTo(1 + 10);
        assertThat(sum(poll(Polls.by("w1", 4).acknowledge("a", "w1-3")))).isEqualTo(1 + 10);
    }

    @Test
    void aLimitOfMessagesCostsASendThreeCommands() {
        send(1);
        Map<String, Long> expected = new TreeMap<>(bench.commands(() -> send(1)));
        expected.put("zcard", 2L);
        expected.merge("hget", 1L, Long::sum);
        bench.limit(1_000_000);

        assertThat(bench.commands(() -> send(1))).isEqualTo(expected);
    }

    @Test
    void aLimitOfMessagesCostsAPollOneCommand() {
        bench.limit(1_000_000);
        bench.send(Sends.after("a", 0));
        assertThat(sum(poll(Polls.by("w1", 3).claim(500)))).isEqualTo(1 + 11);
    }

    @Test
    void aJumpOfTheClockCostsLaterPollsNothing() {
        long polled = Long.parseLong(bench.meta("meta").get("polled"));
        bench.redis().call("HSET", bench.key("meta"), "polled", polled + " 60000 0");
        bench.redis().call("HSET", bench.key("meta"), "c:w1", "2 " + (polled - 60_000) + " " + polled);
        bench.send(Sends.after("a", 0));
        assertThat(sum(poll(Polls.by("w1", 3).claim(500)))).isEqualTo(1 + 10);
        assertThat(bench.meta("meta").get("polled")).endsWith(" 60000 0");
    }

    @Test
    void aFullBatchCostsNoMoreCommandsThanALoneMessage() {
        send(500);
        assertThat(sum(poll(Polls.by("w1", 3).claim(500)))).isEqualTo(1 + 12);
        send(500);
        Polls busy = Polls.by("w1", 4).claim(500);
        IntStream.range(0, 500).forEach(i -> busy.acknowledge("m" + (i + 10), "w1-3"));
        assertThat(sum(poll(busy))).isEqualTo(1 + 17);
    }

    private void send(int count) {
        bench.send(IntStream.range(0, count)
                .mapToObj(i -> Sends.at("m" + sequence++, 5))
                .toList());
    }

    private static Map<String, Long> poll(Polls poll) {
        return bench.commands(() -> bench.poll(poll));
    }

    private static long sum(Map<String, Long> commands) {
        return commands.values().stream().mapToLong(Long::longValue).sum();
    }
}
