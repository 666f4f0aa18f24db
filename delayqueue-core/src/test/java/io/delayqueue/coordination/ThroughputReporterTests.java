package io.delayqueue.coordination;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.delayqueue.coordination.ReceivedLeases.Held;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.QueueKind;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What processes report of their throughput, and what it costs. */
class ThroughputReporterTests extends NodesTest {

    private static final Recipient RECEIVER = new Recipient("a", QueueKind.MESSAGES, null);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final AtomicInteger calls = new AtomicInteger();
    private final Leases leases = new Leases();
    private ThroughputReporter reporter = reporter("one");

    /** Leases that receivers of this process gave. */
    private static final class Leases implements ReceivedLeases {

        private final List<Held> old = new ArrayList<>();
        private final List<String> ended = new ArrayList<>();
        private final List<String> released = new ArrayList<>();

        @Override
        public boolean isEmpty() {
            return old.isEmpty();
        }

        @Override
        public List<Held> old() {
            return old;
        }

        @Override
        public void ended(String topic, String id) {
            ended.add(topic + ' ' + id);
        }

        @Override
        public boolean release(@Nullable String client, @Nullable String topic, Duration since) {
            released.add(client + " " + topic + ' ' + since.toSeconds() / 10); // Redis' clock runs on
            return old.removeIf(held -> Objects.equals(held.client(), client));
        }
    }

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
                leases,
                () -> nanos);
    }

    private void runAfterAnInterval(ThroughputReporter each) {
        nanos += ThroughputReporter.INTERVAL.toNanos();
        assertThat(each.run()).isEqualTo(ThroughputReporter.INTERVAL);
    }

    private Map<String, Throughput> read() {
        return new NodeDirectory(scripts, keySpace, TIMEOUT).reports().join().throughput();
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
    void holdersOfLeasesAreReportedWithTheUsualTime() {
        reporter.acknowledged(RECEIVER, "1", 1, Duration.ofSeconds(2), SHORT);
        reporter.retried(RECEIVER, "1", 1, Duration.ofSeconds(4), SHORT);
        leases.old.add(new Held("a", "shop & co", 3, Duration.ofSeconds(40), "m=1"));
        leases.old.add(new Held("b", null, 1, Duration.ofSeconds(31), "x"));
        runAfterAnInterval(reporter);
        leases.old.set(0, new Held("a", "shop & co", 2, Duration.ofSeconds(50), "m=2"));
        ThroughputReporter two = reporter("two");
        runAfterAnInterval(two);

        String host = NodeReport.thisHost();
        Duration usual = Duration.ofMillis(2_125);
        assertThat(holders())
                .containsExactlyInAnyOrder(
                        new LeaseHolder("a", "shop & co", null, null, 5, Duration.ofSeconds(50), "m=2", usual),
                        new LeaseHolder("b", null, "one", host, 1, Duration.ofSeconds(31), "x", Duration.ZERO),
                        new LeaseHolder("b", null, "two", host, 1, Duration.ofSeconds(31), "x", Duration.ZERO));
        assertThat(read()).as("holders are no throughput").containsOnlyKeys("a");

        leases.old.clear();
        runAfterAnInterval(reporter);
        runAfterAnInterval(two);
        assertThat(holders()).isEmpty();
    }

    @Test
    void holdersOfAReportAreLimited() {
        IntStream.range(0, ThroughputReporter.MAX_HOLDERS + 10)
                .forEach(client -> leases.old.add(new Held("a", "c" + client, 1, Duration.ofMinutes(1), "x")));
        runAfterAnInterval(reporter);
        assertThat(holders()).hasSize(ThroughputReporter.MAX_HOLDERS);
    }

    private List<LeaseHolder> holders() {
        return directory().reports().join().holders();
    }

    private NodeDirectory directory() {
        return new NodeDirectory(scripts, keySpace, TIMEOUT);
    }

    @Test
    void requestedReleasesReachEachProcessThatHasLeases() {
        directory().requestRelease("shop & co", null, null);
        directory().requestRelease(null, "one", "a=b");
        directory().requestRelease(null, "two", null);
        clock.advance(Duration.ofSeconds(15));
        runAfterAnInterval(reporter);
        assertThat(calls).as("no leases").hasValue(0);

        leases.old.add(new Held("a", "shop & co", 3, Duration.ofSeconds(40), "m"));
        leases.old.add(new Held("a", "other", 1, Duration.ofSeconds(40), "m"));
        nanos += ThroughputReporter.INTERVAL.toNanos();
        assertThat(reporter.run()).isZero();
        assertThat(leases.released).containsExactlyInAnyOrder("shop & co null 1", "null a=b 1");
        assertThat(reporter.run()).isEqualTo(ThroughputReporter.INTERVAL);
        assertThat(holders())
                .as("the next report follows at once")
                .extracting(LeaseHolder::client)
                .containsExactly("other");

        leases.released.clear();
        clock.advance(Duration.ofSeconds(46));
        runAfterAnInterval(reporter);
        assertThat(leases.released).as("outdated").isEmpty();
    }

    @Test
    void anotherRequestRemovesOutdatedOnes() {
        directory().requestRelease("old", null, null);
        clock.advance(Duration.ofSeconds(61));
        directory().requestRelease("new", null, "a");
        assertThat(redis.command("HLEN", "dq:{nodes}:releases")).isEqualTo(1L);
        assertThat((Long) requireNonNull(redis.command("PTTL", "dq:{nodes}:releases")))
                .isBetween(1L, 60_000L);
    }

    @Test
    void requestsThatCannotBeReadAreIgnored() {
        redis.command("HSET", "dq:{nodes}:releases", "no request", "soon");
        redis.command("HSET", "dq:{nodes}:releases", "client=%", String.valueOf(clock.millis()));
        redis.command("HSET", "dq:{nodes}:throughput", "broken", clock.millis() + "\ntopic=a&leases=1");
        leases.old.add(new Held("a", "shop", 3, Duration.ofSeconds(40), "m"));
        runAfterAnInterval(reporter);
        assertThat(leases.released).isEmpty();
        assertThat(holders()).extracting(LeaseHolder::client).containsExactly("shop");
    }

    @Test
    void aCancelledMessageEndsItsLease() {
        reporter.cancelled("a", "1");
        assertThat(leases.ended).containsExactly("a 1");
    }

    @Test
    void reportsAreWrittenWhenMemoryIsFull() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            reporter.sent("a", 1);
            runAfterAnInterval(reporter);
            assertThat(read()).hasSize(1);
            directory().requestRelease("shop", null, null);
            assertThat(redis.command("HLEN", "dq:{nodes}:releases")).isEqualTo(1L);
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
