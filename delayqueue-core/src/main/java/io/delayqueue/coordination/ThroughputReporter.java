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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reports how many messages of each topic this process sent and its receivers handled within the last minute, and the
 * holders of old leases of its receivers; releases these leases on request. A process that does neither and has no leases costs
 * Redis nothing, any other one round trip per interval. Thread-safe.
 */
public final class ThroughputReporter extends RedisTask implements DelayQueueEvents {

    /** Time between reports. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    /** Age of a report whose process ended. */
    private static final Duration OUTDATED = INTERVAL.multipliedBy(3);

    private static final int INTERVALS = 6;
    /** Further topics are not reported. */
    static final int MAX_TOPICS = 500;
    /** Further holders of leases are not reported. */
    static final int MAX_HOLDERS = 100;

    /** The usual time until a settlement is a moving average in which the last one has this share. */
    private static final int USUAL_OF = 16;

    /** The time for which a request to release leases is kept: leases of every process are reported meanwhile. */
    private static final Duration REQUESTED = Duration.ofMinutes(1);

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final LuaScript WRITE = LuaScript.beside(ThroughputReporter.class, "throughput");
    private static final LuaScript READ = LuaScript.beside(ThroughputReporter.class, "throughputs");
    private static final LuaScript RELEASE = LuaScript.beside(ThroughputReporter.class, "release");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final String process;
    private final ReceivedLeases leases;
    /** The mean time between the receive and the settlement of the last messages, in nanoseconds, by topic. */
    private final Map<String, Long> usual = new ConcurrentHashMap<>();
    /** An entry is read and written in operations of this map only, so that none is removed while it changes. */
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    // only runs use these
    private long countedAt;
    private String throughput = "";
    private String holders = "";
    private boolean reported;
    private boolean first = true;
    private @Nullable String host;

    /**
     * What all processes reported.
     *
     * @param throughput what they sent and received within the last minute, by topic; topics without any are missing
     * @param holders the holders of old leases, the oldest lease first
     */
    public record Reports(Map<String, Throughput> throughput, List<LeaseHolder> holders) {}

    /** Identifies the holder of leases: an HTTP client, or else the application of a process. */
    private record Holder(
            @Nullable String client,
            @Nullable String node,
            @Nullable String topic) {

        static Holder read(String text) {
            Map<String, String> values = values(text);
            return new Holder(values.get("client"), values.get("node"), values.get("topic"));
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            FormText.append(text, client != null ? "client" : "node", client != null ? client : String.valueOf(node));
            if (topic != null) {
                FormText.append(text, "topic", topic);
            }
            return text.toString();
        }
    }

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
     * @param leases those that receivers of this process gave
     * @param nanoTime monotonic clock in nanoseconds
     */
    public ThroughputReporter(
            ScriptRunner scripts, KeySpace keySpace, String process, ReceivedLeases leases, LongSupplier nanoTime) {
        super(nanoTime);
        this.leases = leases;
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
        handled(recipient, handling);
    }

    @Override
    public void cancelled(String topic, String id) {
        leases.ended(topic, id);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        handled(recipient, handling);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        if (handling != null) {
            handled(recipient, handling);
        }
    }

    /** Listeners report their attempts with heartbeats. */
    private void handled(Recipient recipient, Duration handling) {
        if (recipient.listener() == null && recipient.takesMessages()) {
            String topic = recipient.topic();
            count(topic, new Throughput(0, 1));
            if (usual.size() < MAX_TOPICS || usual.containsKey(topic)) {
                usual.merge(topic, handling.toNanos(), (mean, last) -> mean + (last - mean) / USUAL_OF);
            }
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
            throughput = endInterval();
            holders = holders();
        }
        String report = throughput + (throughput.isEmpty() || holders.isEmpty() ? "" : "\n") + holders;
        if (!isWaiting() && report.isEmpty() && !reported && leases.isEmpty()) {
            return INTERVAL;
        }
        List<Object> requests = reply(() -> write(report));
        if (requests == null) {
            return UNTIL_WOKEN;
        }
        first = false;
        reported = !report.isEmpty();
        if (release(requests)) {
            holders = holders();
            return Duration.ZERO; // the operator who requested it sees that the leases have ended
        }
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
                if (sum.received() > 0) {
                    appendUsual(text, topic);
                }
                return counter;
            });
        }
        return text.toString();
    }

    private String holders() {
        StringBuilder text = new StringBuilder();
        leases.old().stream().limit(MAX_HOLDERS).forEach(each -> append(text, each));
        return text.toString();
    }

    private void append(StringBuilder text, ReceivedLeases.Held held) {
        text.append(text.isEmpty() ? "" : "\n");
        FormText.append(text, "topic", held.topic());
        if (held.client() != null) {
            FormText.append(text, "client", held.client());
        } else {
            host = host == null ? NodeReport.thisHost() : host;
            FormText.append(text, "node", process);
            FormText.append(text, "host", host);
        }
        FormText.append(text, "leases", held.leases());
        FormText.append(text, "oldest", held.oldest().toMillis());
        FormText.append(text, "id", held.id());
        appendUsual(text, held.topic());
    }

    private void appendUsual(StringBuilder text, String topic) {
        Long nanos = usual.get(topic);
        if (nanos != null) {
            FormText.append(text, "usual", Math.max(1, Duration.ofNanos(nanos).toMillis()));
        }
    }

    private CompletableFuture<List<Object>> write(String report) {
        return scripts.run(new ScriptCall(WRITE, keySpace.throughput(), keySpace.releaseRequests())
                .add(process)
                .add(report)
                .add(first ? "1" : "0")
                .add(REQUESTED.toMillis()));
    }

    /** Returns whether leases were released. A request is read again, but those that were given before it are released by then. */
    private boolean release(List<Object> requests) {
        boolean released = false;
        for (int i = 0; i + 1 < requests.size(); i += 2) {
            Holder holder = Holder.read(new String((byte[]) requests.get(i), UTF_8));
            if (holder.client != null || process.equals(holder.node)) {
                Duration since = Duration.ofMillis((Long) requests.get(i + 1));
                released |= leases.release(holder.client, holder.topic, since);
            }
        }
        return released;
    }

    /**
     * Requests the release of all leases that a client got before now. Does not block.
     *
     * @param client name of an HTTP client; null for the application of a node
     * @param node name of the node; null for a client
     * @param topic the topic; null for all
     */
    static CompletableFuture<List<Object>> requestRelease(
            ScriptRunner scripts,
            KeySpace keySpace,
            @Nullable String client,
            @Nullable String node,
            @Nullable String topic) {
        return scripts.run(new ScriptCall(RELEASE, keySpace.releaseRequests())
                .add(new Holder(client, node, topic).toString())
                .add(REQUESTED.toMillis()));
    }

    /** Reads what all processes reported. Does not block. */
    static CompletableFuture<Reports> read(ScriptRunner scripts, KeySpace keySpace) {
        return scripts.run(new ScriptCall(READ, keySpace.throughput()).add(OUTDATED.toMillis()))
                .thenApply(reports -> new Reader().read(reports));
    }

    /** Adds up reports. */
    private static final class Reader {

        private final Map<String, Throughput> throughput = new TreeMap<>();
        private final Map<Holder, LeaseHolder> holders = new HashMap<>();
        /** The longest usual time of a topic in milliseconds. */
        private final Map<String, Long> usual = new HashMap<>();

        Reports read(List<Object> reports) {
            for (Object each : reports) {
                new String((byte[]) each, UTF_8).lines().forEach(this::readLine);
            }
            return new Reports(
                    throughput,
                    holders.values().stream()
                            .map(each -> each.withUsual(Duration.ofMillis(usual.getOrDefault(each.topic(), 0L))))
                            .sorted(Comparator.comparing(LeaseHolder::oldest).reversed())
                            .toList());
        }

        private void readLine(String line) {
            Map<String, String> values = values(line);
            String topic = values.get("topic");
            if (topic == null) {
                return;
            }
            usual.merge(topic, number(values, "usual"), Math::max);
            if (values.containsKey("leases")) {
                readHolder(topic, values);
            } else {
                throughput.merge(
                        topic, new Throughput(number(values, "sent"), number(values, "received")), Throughput::plus);
            }
        }

        private void readHolder(String topic, Map<String, String> values) {
            Holder holder = new Holder(values.get("client"), values.get("node"), topic);
            if (holder.client == null && holder.node == null) {
                return;
            }
            String host = values.getOrDefault("host", "");
            LeaseHolder read = new LeaseHolder(
                    topic,
                    holder.client,
                    holder.node,
                    host.isEmpty() ? holder.node : host,
                    number(values, "leases"),
                    Duration.ofMillis(number(values, "oldest")),
                    values.getOrDefault("id", ""),
                    Duration.ZERO);
            holders.merge(holder, read, LeaseHolder::plus);
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
