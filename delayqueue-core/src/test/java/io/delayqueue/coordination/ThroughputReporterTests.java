package io.delayqueue.coordination;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.QueueKind;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What processes report of their throughput, and what it costs. */
class ThroughputReporterTests extends NodesTest {

    private static final Recipient RECEIVER = new Recipient("a", QueueKind.MESSAGES, null);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final AtomicInteger calls = new AtomicInteger();
    private ThroughputReporter reporter = reporter("one");

    ThroughputReporterTests(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void open() {
        reporter = reporter("one");
    }

    private ThroughputReporter reporter(String process) {
        return new ThroughputReporter(
                call -> {
                    calls.incrementAndGet();
                    return scripts.run(call);
                },
                keySpace,
                process,
                () -> nanos);
    }

    private void runAfterAnInterval(ThroughputReporter each) {
        nanos += ThroughputReporter.INTERVAL.toNanos();
        assertThat(each.run()).isEqualTo(ThroughputReporter.INTERVAL);
    }

    private Map<String, Throughput> read() {
        return new NodeDirectory(scripts, keySpace, TIMEOUT).throughput().join();
    }

    @Test
    void processThatSendsNothingCallsRedisNever() {
        for (int i = 0; i < 20; i++) {
            runAfterAnInterval(reporter);
        }
        assertThat(calls).hasValue(0);
        assertThat(read()).isEmpty();
        assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void sendsOfTheLastMinuteAreReportedWithOneCallForEachInterval() {
        for (int i = 0; i < 10; i++) {
            reporter.sent("a", 2);
            reporter.sent("b %\n&=x", 1);
            runAfterAnInterval(reporter);
        }
        assertThat(read()).containsOnly(entry("a", new Throughput(12, 0)), entry("b %\n&=x", new Throughput(6, 0)));
        assertThat(calls).hasValue(10);

        for (int i = 0; i < 5; i++) {
            runAfterAnInterval(reporter);
        }
        assertThat(read()).containsEntry("a", new Throughput(2, 0));
        runAfterAnInterval(reporter);
        assertThat(read()).isEmpty();
        assertThat(redis.command("EXISTS", "dq:{nodes}:throughput")).isEqualTo(0L);
        assertThat(calls).hasValue(16);
        runAfterAnInterval(reporter);
        assertThat(calls).as("nothing to report").hasValue(16);
    }

    @Test
    void sendsBeforeTheEndOfAnIntervalAreReportedAtItsEnd() {
        reporter.sent("a", 1);
        assertThat(reporter.run()).isEqualTo(ThroughputReporter.INTERVAL);
        assertThat(calls).hasValue(0);
        runAfterAnInterval(reporter);
        assertThat(read()).containsOnly(entry("a", new Throughput(1, 0)));
    }

    @Test
    void processesAreAddedUp() {
        ThroughputReporter other = reporter("two");
        reporter.sent("a", 1);
        other.sent("a", 2);
        runAfterAnInterval(reporter);
        runAfterAnInterval(other);
        assertThat(read()).containsOnly(entry("a", new Throughput(3, 0)));
    }

    @Test
    void whatReceiversHandleIsReportedAndWhatListenersHandleIsNot() {
        reporter.acknowledged(RECEIVER, "1", 1, SHORT, SHORT);
        reporter.retried(RECEIVER, "1", 1, SHORT, SHORT);
        reporter.deadLettered(RECEIVER, "1", DeadLetterCause.REQUESTED, SHORT);
        reporter.deadLettered(RECEIVER, "1", DeadLetterCause.EXPIRED, null);
        reporter.acknowledged(new Recipient("a", QueueKind.MESSAGES, "listener"), "1", 1, SHORT, SHORT);
        reporter.acknowledged(new Recipient("a", QueueKind.NOTIFICATIONS, null), "1", 1, SHORT, SHORT);
        runAfterAnInterval(reporter);
        assertThat(read()).containsOnly(entry("a", new Throughput(0, 3)));
    }

    @Test
    void reportsOfEndedProcessesAreNotReadAndRemovedByTheNextProcess() {
        reporter.sent("a", 1);
        runAfterAnInterval(reporter);
        clock.advance(Duration.ofSeconds(31));
        assertThat(read()).isEmpty();
        clock.advance(Duration.ofSeconds(31));
        ThroughputReporter next = reporter("two");
        next.sent("b", 1);
        runAfterAnInterval(next);
        assertThat(redis.command("HLEN", "dq:{nodes}:throughput")).isEqualTo(1L);
        assertThat((Long) requireNonNull(redis.command("PTTL", "dq:{nodes}:throughput")))
                .isBetween(1L, 60_000L);
    }

    @Test
    void topicsOfAReportAreLimited() {
        IntStream.range(0, ThroughputReporter.MAX_TOPICS + 10).forEach(topic -> reporter.sent("t" + topic, 1));
        runAfterAnInterval(reporter);
        assertThat(read()).hasSize(ThroughputReporter.MAX_TOPICS);
    }

    @Test
    void reportThatFailsIsRepeatedWithTheSameNumbers() {
        reporter.sent("a", 1);
        blackOut = true;
        assertThatThrownBy(() -> runAfterAnInterval(reporter)).isInstanceOf(RuntimeException.class);
        blackOut = false;
        assertThat(reporter.run()).isEqualTo(ThroughputReporter.INTERVAL);
        assertThat(read()).containsOnly(entry("a", new Throughput(1, 0)));
    }

    @Test
    void reportsThatCannotBeReadAreIgnored() {
        redis.command("HSET", "dq:{nodes}:throughput", "foreign", "no report");
        redis.command("HSET", "dq:{nodes}:throughput", "broken", clock.millis() + "\ntopic=a&sent=many\ntopic=%");
        reporter.sent("b", 1);
        runAfterAnInterval(reporter);
        assertThat(read()).containsOnly(entry("a", Throughput.NONE), entry("b", new Throughput(1, 0)));
    }

    @Test
    void reportsAreWrittenWhenMemoryIsFull() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            reporter.sent("a", 1);
            runAfterAnInterval(reporter);
            assertThat(read()).hasSize(1);
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
