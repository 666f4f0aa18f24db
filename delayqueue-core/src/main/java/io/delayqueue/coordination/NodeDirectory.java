package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.KnownNodes.Former;
import io.delayqueue.coordination.KnownNodes.Node;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.FormText;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists the live nodes and what they consume, and pauses listeners. Thread-safe. Every blocking method throws
 * a {@link io.delayqueue.redis.RedisCallException} if the script has no reply.
 */
public final class NodeDirectory {

    private static final LuaScript NODES = LuaScript.beside(NodeDirectory.class, "nodes");
    private static final LuaScript STACK = LuaScript.beside(NodeDirectory.class, "stack");
    private static final LuaScript PAUSE = LuaScript.beside(NodeDirectory.class, "pause");

    /** The time for which nodes that left or failed are listed. */
    private static final Duration REMEMBERED = Duration.ofHours(1);

    /** Maximum number of pauses. Each node reads them all after a change. */
    static final int MAX_PAUSES = 5000;

    private static final Pattern FORMER = Pattern.compile("(\\d+) (left|failed)\n(.*)", Pattern.DOTALL);

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Duration timeout;

    /**
     * Creates a directory for one namespace.
     *
     * @param timeout heartbeat timeout: a node without a heartbeat for this time counts as failed
     */
    public NodeDirectory(ScriptRunner scripts, KeySpace keySpace, Duration timeout) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.timeout = timeout;
    }

    /** Reads the nodes and the pauses in one round trip. */
    public KnownNodes read() {
        return Await.call(this::readAsync);
    }

    /**
     * Like {@link #read()}, without blocking. The future fails with a {@link io.delayqueue.redis.RedisCallException}
     * if the script has no reply.
     */
    public CompletableFuture<KnownNodes> readAsync() {
        return scripts.run(new ScriptCall(
                                NODES,
                                keySpace.nodes(),
                                keySpace.nodeTopics(),
                                keySpace.pauses(),
                                keySpace.nodeReports(),
                                keySpace.formerNodes())
                        .add(timeout.toMillis()))
                .thenApply(NodeDirectory::read);
    }

    /**
     * What all processes sent and received within the last minute, and the holders of old leases. Does not block. The
     * future fails with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply.
     */
    public CompletableFuture<ThroughputReporter.Reports> reports() {
        return ThroughputReporter.read(scripts, keySpace);
    }

    /**
     * Requests the release of the leases that receivers gave before now. Each process reads the request with its next
     * report, within 10 s.
     *
     * @param client name of the HTTP client that holds them; null for the application of a node
     * @param node name of the process; null for a client
     * @param topic the topic; null for all
     */
    public void requestRelease(@Nullable String client, @Nullable String node, @Nullable String topic) {
        Await.call(() -> ThroughputReporter.requestRelease(scripts, keySpace, client, node, topic));
    }

    private static KnownNodes read(List<Object> reply) {
        long micros = Long.parseLong(text(reply.get(0)));
        Instant now = Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
        List<Node> nodes = nodes((List<?>) reply.get(2));
        List<Former> former = former((List<?>) reply.get(3), now, nodes);
        Set<String> recorded = Stream.concat(
                        nodes.stream().map(Node::name), former.stream().map(Former::name))
                .collect(Collectors.toSet());
        List<Pause> pauses = Pauses.read((List<?>) reply.get(1)).stream()
                .filter(pause -> pause.node() == null || recorded.contains(pause.node()))
                .toList();
        return new KnownNodes(now, nodes, former, Pauses.byTopic(pauses));
    }

    private static List<Node> nodes(List<?> reply) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i + 3 < reply.size(); i += 4) {
            String topics = text(reply.get(i + 2));
            nodes.add(new Node(
                    text(reply.get(i)),
                    millis(text(reply.get(i + 1))),
                    ConsumedTopics.read(topics, QueueKind.MESSAGES),
                    ConsumedTopics.read(topics, QueueKind.NOTIFICATIONS),
                    ConsumedTopics.readAssignable(topics, QueueKind.MESSAGES),
                    NodeReport.read(text(reply.get(i + 3)))));
        }
        nodes.sort(Comparator.comparing(Node::name));
        return List.copyOf(nodes);
    }

    /** A node that counted as failed and then sent a heartbeat is live, and no former node. */
    private static List<Former> former(List<?> reply, Instant now, List<Node> live) {
        Map<String, Former> former = new HashMap<>();
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            Matcher entry = FORMER.matcher(text(reply.get(i + 1)));
            if (entry.matches()) {
                Instant lastSeen = millis(entry.group(1));
                if (Duration.between(lastSeen, now).compareTo(REMEMBERED) <= 0) {
                    String name = text(reply.get(i));
                    boolean failed = entry.group(2).equals("failed");
                    former.put(name, new Former(name, lastSeen, failed, NodeReport.read(entry.group(3))));
                }
            }
        }
        live.forEach(node -> former.remove(node.name()));
        return former.values().stream()
                .sorted(Comparator.comparing(Former::lastSeen).reversed())
                .toList();
    }

    /** Reads a score, which can be infinite if a foreign client wrote it. */
    private static Instant millis(String score) {
        return Instant.ofEpochMilli(score.equals("inf") ? Long.MAX_VALUE : (long) Double.parseDouble(score));
    }

    /**
     * Requests the stack of a listener's oldest handler from its node. The node reports it with its heartbeats for a
     * minute, and with one at once.
     *
     * @return whether the node is known
     */
    public boolean requestStack(String node, String listener) {
        List<Object> reply =
                Await.call(() -> scripts.run(new ScriptCall(STACK, keySpace.nodeTopics(), keySpace.stackRequests())
                        .add(node)
                        .add(listener)
                        .add(HandlerStack.REPORTED.toMillis())
                        .add(keySpace.signalChannel())));
        return (Long) reply.get(0) == 1;
    }

    /**
     * Pauses listeners. May be repeated: a pause that exists keeps its author and time.
     *
     * @param topic the topic, which need not exist
     * @param listener id of the listener; null for all
     * @param node name of the node; null for all
     * @param by name of the user; empty if unknown
     * @return whether this pause is new
     * @throws IllegalStateException if there are {@value #MAX_PAUSES} others
     */
    public boolean pause(String topic, @Nullable String listener, @Nullable String node, String by) {
        StringBuilder author = new StringBuilder();
        FormText.append(author, "by", new Pause(topic, listener, node, by, Instant.EPOCH).by());
        long added = change("pause", author.toString(), List.of(Pauses.field(topic, listener, node)));
        if (added < 0) {
            throw new IllegalStateException("There are " + MAX_PAUSES
                    + " pauses, which is their maximum. Resume topics or listeners before you pause others.");
        }
        return added > 0;
    }

    /**
     * Ends one pause. May be repeated.
     *
     * @return whether there was this pause
     */
    public boolean resume(String topic, @Nullable String listener, @Nullable String node) {
        return change("resume", "", List.of(Pauses.field(topic, listener, node))) > 0;
    }

    /** Ends pauses. May be repeated. */
    public void resume(Collection<Pause> pauses) {
        change(
                "resume",
                "",
                pauses.stream()
                        .map(pause -> Pauses.field(pause.topic(), pause.listener(), pause.node()))
                        .toList());
    }

    private long change(String verb, String author, List<String> fields) {
        ScriptCall call = new ScriptCall(PAUSE, keySpace.nodeTopics(), keySpace.pauses())
                .add(verb)
                .add(keySpace.signalChannel())
                .add(author)
                .add(MAX_PAUSES);
        fields.forEach(call::add);
        return (Long) Await.call(() -> scripts.run(call)).get(0);
    }

    private static String text(Object part) {
        return new String((byte[]) part, UTF_8);
    }
}
