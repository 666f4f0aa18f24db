package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.FormText;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reports how many messages of each topic this process sent and its receivers handled within the last minute. A process
 * that does neither costs Redis nothing, any other one round trip per interval. Thread-safe.
 */
public final class ThroughputReporter extends RedisTask implements DelayQueueEvents {

    /** Time between reports. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    /** Age of a report whose process ended. */
    private static final Duration OUTDATED = INTERVAL.multipliedBy(3);

    private static final int INTERVALS = 6;
    /** Further topics are not reported. */
    static final int MAX_TOPICS = 500;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final LuaScript WRITE = LuaScript.beside(ThroughputReporter.class, "throughput");
    private static final LuaScript READ = LuaScript.beside(ThroughputReporter.class, "throughputs");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final String process;
    /** An entry is read and written in operations of this map only, so that none is removed while it changes. */
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    // only runs use these
    private long countedAt;
    private String report = "";
    private boolean reported;
    private boolean first = true;

    /** The numbers of the present interval and of the intervals of the last minute. */
    private static final class Counter {

        private Throughput present = Throughput.NONE;
        private final Throughput[] last = new Throughput[INTERVALS];
        private int next;

        /** Ends an interval. Returns the sum of the last minute. */
        Throughput endInterval() {
            last[next] = present;
            next = (next + 1) % INTERVALS;
            present = Throughput.NONE;
            Throughput sum = Throughput.NONE;
            for (Throughput each : last) {
                sum = each == null ? sum : sum.plus(each);
            }
            return sum;
        }
    }

    /**
     * Creates a task that reports only when it is run.
     *
     * @param process name of this process, which no other process ever has
     * @param nanoTime monotonic clock in nanoseconds
     */
    public ThroughputReporter(ScriptRunner scripts, KeySpace keySpace, String process, LongSupplier nanoTime) {
        super(nanoTime);
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.process = process;
        this.countedAt = nanoTime.getAsLong();
    }

    @Override
    public void sent(String topic, int count) {
        count(topic, new Throughput(count, 0));
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        handled(recipient);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        handled(recipient);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        if (handling != null) {
            handled(recipient);
        }
    }

    /** Listeners report their attempts with heartbeats. */
    private void handled(Recipient recipient) {
        if (recipient.listener() == null && recipient.takesMessages()) {
            count(recipient.topic(), new Throughput(0, 1));
        }
    }

    private void count(String topic, Throughput more) {
        counters.compute(topic, (key, known) -> {
            Counter counter = known == null && counters.size() < MAX_TOPICS ? new Counter() : known;
            if (counter != null) {
                counter.present = counter.present.plus(more);
            }
            return counter;
        });
    }

    @Override
    protected Duration roundTrip() {
        long now = nanoTime.getAsLong();
        if (!isWaiting() && now - countedAt >= INTERVAL.toNanos()) {
            countedAt = now;
            report = endInterval();
        }
        if (!isWaiting() && report.isEmpty() && !reported) {
            return INTERVAL;
        }
        if (reply(this::write) == null) {
            return UNTIL_WOKEN;
        }
        first = false;
        reported = !report.isEmpty();
        return INTERVAL;
    }

    private String endInterval() {
        StringBuilder text = new StringBuilder();
        for (String topic : counters.keySet()) {
            counters.computeIfPresent(topic, (key, counter) -> {
                Throughput sum = counter.endInterval();
                if (sum.equals(Throughput.NONE)) {
                    return null;
                }
                text.append(text.isEmpty() ? "" : "\n");
                FormText.append(text, "topic", topic);
                FormText.append(text, "sent", sum.sent());
                FormText.append(text, "received", sum.received());
                return counter;
            });
        }
        return text.toString();
    }

    private CompletableFuture<List<Object>> write() {
        return scripts.run(new ScriptCall(WRITE, keySpace.throughput())
                .add(process)
                .add(report)
                .add(first ? "1" : "0"));
    }

    /** Reads the throughput of all processes by topic. Topics without any are missing. Does not block. */
    static CompletableFuture<Map<String, Throughput>> read(ScriptRunner scripts, KeySpace keySpace) {
        return scripts.run(new ScriptCall(READ, keySpace.throughput()).add(OUTDATED.toMillis()))
                .thenApply(reports -> {
                    Map<String, Throughput> all = new TreeMap<>();
                    for (Object each : reports) {
                        new String((byte[]) each, UTF_8).lines().forEach(line -> readLine(line, all));
                    }
                    return all;
                });
    }

    private static void readLine(String line, Map<String, Throughput> all) {
        Map<String, String> values = values(line);
        String topic = values.get("topic");
        if (topic != null) {
            all.merge(topic, new Throughput(number(values, "sent"), number(values, "received")), Throughput::plus);
        }
    }

    /** The values of a line; none if a foreign client wrote one that cannot be read. */
    private static Map<String, String> values(String line) {
        try {
            return FormText.read(line);
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }

    private static long number(Map<String, String> values, String name) {
        String digits = values.getOrDefault(name, "");
        return NUMBER.matcher(digits).matches() ? Long.parseLong(digits) : 0;
    }
}
