package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.LiveNodes.Node;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.bench.RawScripts;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Reading live nodes and pausing topics. */
@EmbeddedRedis
class NodeDirectoryTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private final RedisServerProcess redis;
    private final KeySpace keySpace = new KeySpace("dq");
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private LettuceConnectionFactory application;
    private QueueConnections connections;
    private ScriptRunner scripts;
    private NodeDirectory directory;

    NodeDirectoryTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void connect() {
        redis.flush();
        application = new LettuceConnectionFactory("127.0.0.1", redis.port());
        application.afterPropertiesSet();
        application.start();
        connections =
                new QueueConnections(application, QueueConnections.Settings.defaults(), executor, System::nanoTime);
        scripts = new RedisScripts(connections);
        directory = new NodeDirectory(scripts, keySpace, TIMEOUT);
    }

    @AfterEach
    void disconnect() {
        connections.close();
        application.destroy();
        executor.shutdownNow();
    }

    private Membership node(String name) {
        return new Membership(scripts, keySpace, name, Duration.ofSeconds(5), TIMEOUT, System::nanoTime, () -> {});
    }

    @Test
    void emptyNamespaceHasNoNodesAndReadingWritesNothing() {
        LiveNodes liveNodes = directory.read();
        assertThat(liveNodes.nodes()).isEmpty();
        assertThat(liveNodes.paused()).isEmpty();
        assertThat(liveNodes.now()).isAfter("2020-01-01T00:00:00Z");
        assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void nodesAreListedByNameWithTheTopicsThatTheyConsume() {
        Membership two = node("two");
        two.join(Shard.single("b %\n-x"), () -> {});
        two.join(Shard.single("a"), () -> {});
        two.addConsumer(Shard.single("c").notifications());
        Runnable gone = two.addConsumer(Shard.single("d"));
        two.addConsumer(Shard.single("e"));
        two.addConsumer(Shard.single("e")).run();
        gone.run();
        two.run();
        node("one").run();
        LiveNodes liveNodes = directory.read();
        assertThat(liveNodes.nodes()).extracting(Node::name).containsExactly("one", "two");
        assertThat(liveNodes.nodes().get(0).messages()).isEmpty();
        assertThat(liveNodes.nodes().get(0).notifications()).isEmpty();
        assertThat(liveNodes.nodes().get(1).messages()).containsExactly("a", "b %\n-x", "e");
        assertThat(liveNodes.nodes().get(1).notifications()).containsExactly("c");
        assertThat(liveNodes.nodes())
                .allSatisfy(node -> assertThat(node.lastSeen()).isBeforeOrEqualTo(liveNodes.now()));
    }

    @Test
    void failedNodesAreNotListed() {
        node("dead").run();
        node("alive").run();
        redis.command("ZINCRBY", "dq:{nodes}:seen", "-" + TIMEOUT.plusSeconds(1).toMillis(), "dead");
        assertThat(directory.read().nodes()).extracting(Node::name).containsExactly("alive");
    }

    @Test
    void nodeIsListedEvenIfItsHeartbeatIsNotAnInteger() {
        node("one").run();
        redis.command("ZINCRBY", "dq:{nodes}:seen", "0.5", "one");
        redis.command("ZADD", "dq:{nodes}:seen", "+inf", "two");
        assertThat(directory.read().nodes()).extracting(Node::name).containsExactly("one", "two");
    }

    @Test
    void topicsOfAnyNameCanBePaused() {
        directory.pause("a");
        directory.pause("a");
        directory.pause("b\n%0A");
        assertThat(directory.read().paused()).containsExactlyInAnyOrder("a", "b\n%0A");
        directory.resume("a");
        directory.resume("a");
        assertThat(directory.read().paused()).containsExactly("b\n%0A");
    }

    @Test
    void pausingWorksWhenMemoryIsFull() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            directory.pause("a");
            assertThat(directory.read().paused()).containsExactly("a");
            directory.resume("a");
            assertThat(directory.read().paused()).isEmpty();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    /** The script is stopped before each of its writes. Nodes read what is stored, with or without the repeat. */
    @Test
    void nodesReadTheStoredPausesAfterAnInterruptedScript() {
        Membership node = node("one");
        node.run();
        for (int write = 0; write < 3; write++) {
            boolean pause = write % 2 == 0;
            NodeDirectory stopping = new NodeDirectory(stoppedBefore(write), keySpace, TIMEOUT);
            assertThatThrownBy(() -> change(stopping, pause)).isInstanceOf(RedisCallException.class);
            node.run();
            assertThat(node.pauses().include("a"))
                    .isEqualTo(directory.read().paused().contains("a"));
            change(directory, pause);
            node.run();
            assertThat(node.pauses().include("a")).isEqualTo(pause);
        }
    }

    private static void change(NodeDirectory directory, boolean pause) {
        if (pause) {
            directory.pause("a");
        } else {
            directory.resume("a");
        }
    }

    private ScriptRunner stoppedBefore(int write) {
        return call -> {
            LuaScript script = call.script();
            String text = "local left = " + write + " local real = redis local redis = {pcall = real.pcall, call ="
                    + " function(...) if (...) ~= 'TIME' then if left == 0 then error('stopped by the test') end"
                    + " left = left - 1 end return real.call(...) end} " + script.text();
            return scripts.run(RawScripts.with(new LuaScript(script.name(), text, RawScripts.sha1(text)), call));
        };
    }
}
