package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.Roster.Member;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which nodes live and what they consume, and which topics are paused on all of them. Thread-safe. Every method throws
 * {@link io.delayqueue.redis.RedisCallException} when there is no answer.
 */
public final class NodeDirectory {

    private static final LuaScript NODES = LuaScript.beside(NodeDirectory.class, "nodes");
    private static final LuaScript PAUSE = LuaScript.beside(NodeDirectory.class, "pause");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Duration timeout;

    /**
     * Over the scripts and names of one namespace.
     *
     * @param timeout after how long of silence a node counts as dead
     */
    public NodeDirectory(ScriptRunner scripts, KeySpace keySpace, Duration timeout) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.timeout = timeout;
    }

    /** Asks who is there. One round trip. */
    public Roster roster() {
        List<Object> reply = scripts.run(
                NODES,
                3,
                keySpace.nodes(),
                keySpace.nodeTopics(),
                keySpace.pausedTopics(),
                bytes(Long.toString(timeout.toMillis())));
        List<Member> nodes = new ArrayList<>();
        for (int i = 2; i + 2 < reply.size(); i += 3) {
            String topics = text(reply.get(i + 2));
            nodes.add(new Member(
                    text(reply.get(i)),
                    Instant.ofEpochMilli(Long.parseLong(text(reply.get(i + 1)))),
                    ConsumedTopics.read(topics, Lane.MESSAGES),
                    ConsumedTopics.read(topics, Lane.DEATHS),
                    ConsumedTopics.readWatched(topics, Lane.MESSAGES)));
        }
        nodes.sort(Comparator.comparing(Member::name));
        long micros = Long.parseLong(text(reply.get(0)));
        Instant now = Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
        return new Roster(now, List.copyOf(nodes), texts(reply.get(1)));
    }

    /** Pauses a topic on all nodes, whether any of them knows it or not. May be repeated. */
    public void pause(String topic) {
        pause(topic, "1");
    }

    /** Ends the pause of a topic. May be repeated. */
    public void resume(String topic) {
        pause(topic, "0");
    }

    private void pause(String topic, String paused) {
        scripts.run(
                PAUSE,
                2,
                keySpace.nodeTopics(),
                keySpace.pausedTopics(),
                bytes(topic),
                bytes(paused),
                bytes(keySpace.signalChannel()));
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

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
