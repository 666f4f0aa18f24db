package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.event.EventBus;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says of an outage; the test moves the clock. */
@ExtendWith(OutputCaptureExtension.class)
class OutageLogTests {

    private final AtomicLong now = new AtomicLong();
    private final OutageLog log = new OutageLog(new EventBus(List.of()), now::get);

    private void pass(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private void fail(String task) {
        log.failed(task, new RedisCallException(Kind.UNKNOWN, "Redis did not reply", null));
    }

    private static List<String> lines(CapturedOutput output) {
        return output.toString()
                .lines()
                .filter(line -> line.contains("OutageLog "))
                .map(line -> line.replaceFirst(".*OutageLog (-- )?", "")
                        .replaceFirst(" io\\.delayqueue.*", "")
                        .strip())
                .toList();
    }

    @Test
    void outageHasALineAtItsStartOneAMinuteAndOneAtItsEnd(CapturedOutput output) {
        for (int second = 0; second < 70; second++) {
            fail("heartbeat");
            fail("orders");
            pass(1);
        }
        log.recovered("heartbeat");
        log.recovered("orders");
        assertThat(lines(output))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("Task heartbeat failed and is retried until it succeeds"),
                        line -> assertThat(line).startsWith("Tasks have failed 123 times in 61 s."),
                        line -> assertThat(line)
                                .isEqualTo("Redis replies again after 70 s. Failed runs of tasks: 140; the first task"
                                        + " to succeed: heartbeat"));
    }

    @Test
    void callsThatWereOpenAtTheEndStartNoOutage(CapturedOutput output) {
        fail("heartbeat");
        pass(3);
        log.recovered("heartbeat");
        pass(9);
        fail("orders");
        log.recovered("orders");
        assertThat(lines(output)).hasSize(2);
        pass(2);
        fail("orders");
        assertThat(lines(output)).hasSize(3);
    }

    @Test
    void failureCausedByRedisIsOneOfRedis(CapturedOutput output) {
        RedisCallException cause = new RedisCallException(Kind.UNKNOWN, "Redis did not reply", null);
        log.failed("sampler", new IllegalStateException("Reading all topics failed", cause));
        log.recovered("sampler");
        assertThat(lines(output)).last().asString().startsWith("Redis replies again after 0 s");
    }

    @Test
    void otherFailuresAreNotThoseOfRedis(CapturedOutput output) {
        log.failed("sampler", new IllegalStateException("defect"));
        log.recovered("sampler");
        assertThat(lines(output)).last().asString().startsWith("Tasks succeed again after 0 s");
    }

    @Test
    void recoveryWithoutAnOutageIsNotLogged(CapturedOutput output) {
        log.recovered("heartbeat");
        assertThat(lines(output)).isEmpty();
    }
}
