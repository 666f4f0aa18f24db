package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AssignmentLogTests {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AssignmentLog log = new AssignmentLog("n1");

    @BeforeEach
    void listen() {
        lines.start();
        logger().addAppender(lines);
    }

    @AfterEach
    void ignore() {
        logger().detachAppender(lines);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(AssignmentLog.class);
    }

    private static Set<Shard> shards(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Shard(topic, i, count, QueueKind.MESSAGES))
                .collect(Collectors.toSet());
    }

    /** Nodes that all consume these topics. */
    private static NodesByTopic nodesOf(String topics, String... nodes) {
        List<Object> reply = new ArrayList<>(List.of("version", List.of(), 0L, new byte[0]));
        for (String node : nodes) {
            reply.add(node.getBytes(UTF_8));
            reply.add(topics.getBytes(UTF_8));
        }
        return NodesByTopic.read(reply);
    }

    private List<String> logged() {
        List<String> messages =
                lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertThat(lines.list).allMatch(line -> line.getLevel() == Level.INFO);
        lines.list.clear();
        return messages;
    }

    @Test
    void onlyChangesAreLogged() {
        Set<Shard> assignments = shards("orders", 6);
        log.connected(nodesOf("MESSAGES orders", "n1"), assignments);
        assertThat(logged()).containsExactly("Node n1 sweeps all 6 shards of topic orders alone");
        log.connected(nodesOf("MESSAGES orders", "n1"), assignments);
        assertThat(logged()).isEmpty();
        log.connected(nodesOf("MESSAGES orders", "n1", "n2"), assignments);
        assertThat(logged()).containsExactly("Node n1 sweeps 3 of 6 shards of topic orders (0, 2, 4) among 2 nodes");
        log.connected(nodesOf("MESSAGES orders", "n2", "n1"), assignments);
        assertThat(logged()).isEmpty();
    }

    @Test
    void isolationIsLoggedIfItChangesTheAssignment() {
        Set<Shard> assignments = shards("orders", 6);
        log.connected(nodesOf("MESSAGES orders", "n1"), assignments);
        logged();
        log.isolated(assignments);
        assertThat(logged()).isEmpty();
        log.connected(nodesOf("MESSAGES orders", "n1", "n2"), assignments);
        logged();
        log.isolated(assignments);
        log.isolated(assignments);
        assertThat(logged()).containsExactly("Node n1 sweeps all 6 shards of topic orders until a heartbeat succeeds");
        log.connected(nodesOf("MESSAGES orders", "n1", "n2"), assignments);
        assertThat(logged()).hasSize(1);
    }

    @Test
    void topicOfOneShardIsLoggedWithoutNumbers() {
        Set<Shard> assignments = Set.of(Shard.single("a"), Shard.single("a").notifications());
        String[] nodes = {"n1", "n91", "n92"};
        log.connected(nodesOf("MESSAGES a\nNOTIFICATIONS a", "n1"), assignments);
        assertThat(logged())
                .containsExactly("Node n1 sweeps topic a alone; sweeps the dead-letter notifications of topic a alone");
        log.connected(nodesOf("MESSAGES a\nNOTIFICATIONS a", nodes), assignments);
        assertThat(logged())
                .containsExactly(
                        "Node n1 leaves the dead-letter notifications of topic a to another node among 3 nodes");
    }

    @Test
    void lineLengthIsLimited() {
        log.connected(nodesOf("MESSAGES orders", "n1", "n2"), shards("orders", 1024));
        assertThat(logged()).allMatch(line -> line.length() < 300 && line.contains("512 of 1024 shards"));

        List<Shard> many = IntStream.range(0, 200)
                .mapToObj(i -> Shard.single("t" + (100 + i)))
                .toList();
        String topics = many.stream().map(shard -> "MESSAGES " + shard.topic()).collect(Collectors.joining("\n"));
        log.connected(nodesOf(topics, "n1"), Set.copyOf(many));
        assertThat(logged())
                .allMatch(line -> line.startsWith("Node n1 sweeps topic t100 alone; ") && line.length() < 400)
                .allMatch(line -> line.endsWith("sweeps topic t109 alone; and 190 more"));
    }

    @Test
    void topicThatTheHeartbeatDoesNotListYetIsLoggedAfterTheNextOne() {
        log.connected(nodesOf("", "n1"), shards("orders", 6));
        assertThat(logged()).isEmpty();
    }
}
