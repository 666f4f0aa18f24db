package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.LiveNodes.Node;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the live nodes and what they consume, and pauses topics on all nodes. Thread-safe. Every blocking method throws
 * a {@link io.delayqueue.redis.RedisCallException} if the script has no reply.
 */
public final class NodeDirectory {

    private static final LuaScript NODES = LuaScript.beside(NodeDirectory.class, "nodes");
    private static final LuaScript PAUSE = LuaScript.beside(NodeDirectory.class, "pause");

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

    /** Reads the live nodes and the paused topics in one round trip. */
    public LiveNodes read() {
        return Await.call(this::readAsync);
    }

    /**
     * Like {@link #read()}, without blocking. The future fails with a {@link io.delayqueue.redis.RedisCallException}
     * if the script has no reply.
     */
    public CompletableFuture<LiveNodes> readAsync() {
        return scripts.run(new ScriptCall(NODES, keySpace.nodes(), keySpace.nodeTopics(), keySpace.pausedTopics())
                        .add(timeout.toMillis()))
                .thenApply(NodeDirectory::read);
    }

    private static LiveNodes read(List<Object> reply) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 2; i + 2 < reply.size(); i += 3) {
            String topics = text(reply.get(i + 2));
            nodes.add(new Node(
                    text(reply.get(i)),
                    millis(text(reply.get(i + 1))),
                    ConsumedTopics.read(topics, QueueKind.MESSAGES),
                    ConsumedTopics.read(topics, QueueKind.NOTIFICATIONS),
                    ConsumedTopics.readAssignable(topics, QueueKind.MESSAGES)));
        }
        nodes.sort(Comparator.comparing(Node::name));
        long micros = Long.parseLong(text(reply.get(0)));
        Instant now = Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
        return new LiveNodes(now, List.copyOf(nodes), texts(reply.get(1)));
    }

    /** Reads a score, which can be infinite if a foreign client wrote it. */
    private static Instant millis(String score) {
        return Instant.ofEpochMilli(score.equals("inf") ? Long.MAX_VALUE : (long) Double.parseDouble(score));
    }

    /** Pauses a topic on all nodes. The topic need not exist. May be repeated. */
    public void pause(String topic) {
        setPaused(topic, "1");
    }

    /** Resumes a topic on all nodes. May be repeated. */
    public void resume(String topic) {
        setPaused(topic, "0");
    }

    private void setPaused(String topic, String paused) {
        Await.call(() -> scripts.run(new ScriptCall(PAUSE, keySpace.nodeTopics(), keySpace.pausedTopics())
                .add(topic)
                .add(paused)
                .add(keySpace.signalChannel())));
    }

    static Set<String> texts(Object part) {
        Set<String> texts = new HashSet<>();
        for (Object text : (List<?>) part) {
            texts.add(text(text));
        }
        return Set.copyOf(texts);
    }

    private static String text(Object part) {
        return new String((byte[]) part, UTF_8);
    }
}
