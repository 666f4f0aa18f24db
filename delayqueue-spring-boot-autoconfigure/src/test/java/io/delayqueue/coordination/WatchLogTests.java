package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WatchLogTests {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final WatchLog log = new WatchLog("n1");

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
        return (Logger) LoggerFactory.getLogger(WatchLog.class);
    }

    private static Set<Shard> shards(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Shard(topic, i, count, Lane.MESSAGES))
                .collect(Collectors.toSet());
    }

    /** The nodes, each of which consumes these topics. */
    private static Members members(String topics, String... nodes) {
        List<Object> reply = new ArrayList<>(List.of("version", List.of()));
        for (String node : nodes) {
            reply.add(node.getBytes(UTF_8));
            reply.add(topics.getBytes(UTF_8));
        }
        return Members.read(reply);
    }

    private List<String> logged() {
        List<String> messages =
                lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertThat(lines.list).allMatch(line -> line.getLevel() == Level.INFO);
        lines.list.clear();
        return messages;
    }

    @Test
    void changeIsALineAndWhatStaysIsNone() {
        Set<Shard> seats = shards("orders", 6);
        log.heard(members("MESSAGES orders", "n1"), seats);
        assertThat(logged()).containsExactly("Node n1 watches all 6 shards of topic orders alone");
        log.heard(members("MESSAGES orders", "n1"), seats);
        assertThat(logged()).isEmpty();
        log.heard(members("MESSAGES orders", "n1", "n2"), seats);
        assertThat(logged()).containsExactly("Node n1 watches 3 of 6 shards of topic orders (0, 2, 4) among 2 nodes");
        log.heard(members("MESSAGES orders", "n2", "n1"), seats);
        assertThat(logged()).isEmpty();
    }

    @Test
    void darknessIsToldWhereItChangesSomething() {
        Set<Shard> seats = shards("orders", 6);
        log.heard(members("MESSAGES orders", "n1"), seats);
        logged();
        log.inTheDark(seats);
        assertThat(logged()).isEmpty();
        log.heard(members("MESSAGES orders", "n1", "n2"), seats);
        logged();
        log.inTheDark(seats);
        log.inTheDark(seats);
        assertThat(logged())
                .containsExactly(
                        "Node n1 watches all 6 shards of topic orders as long as it hears nothing of other nodes");
        log.heard(members("MESSAGES orders", "n1", "n2"), seats);
        assertThat(logged()).hasSize(1);
    }

    @Test
    void topicOfOneShardReadsNaturally() {
        Set<Shard> seats = Set.of(Shard.single("a"), Shard.single("a").deaths());
        String[] nodes = {"n1", "n2", "n3"};
        log.heard(members("MESSAGES a\nDEATHS a", "n1"), seats);
        assertThat(logged()).containsExactly("Node n1 watches topic a alone; watches the deaths of topic a alone");
        log.heard(members("MESSAGES a\nDEATHS a", nodes), seats);
        assertThat(logged()).containsExactly("Node n1 leaves the deaths of topic a to another of 3 nodes");
    }

    @Test
    void manyNodesLeaveSomeNothingToWatch() {
        Set<Shard> seats = shards("orders", 2);
        String[] nodes = Stream.concat(Stream.of("n1"), IntStream.range(0, 40).mapToObj(i -> "m" + i))
                .toArray(String[]::new);
        log.heard(members("MESSAGES orders", nodes), seats);
        assertThat(logged()).containsExactly("Node n1 watches none of 2 shards of topic orders among 41 nodes");
    }

    @Test
    void linesHaveAnEnd() {
        Set<Shard> seats = shards("orders", 1024);
        log.heard(members("MESSAGES orders", "n1", "n2"), seats);
        assertThat(logged()).allMatch(line -> line.length() < 300 && line.contains("512 of 1024 shards"));

        List<Shard> many = new ArrayList<>();
        IntStream.range(0, 200).forEach(i -> many.add(Shard.single("t" + (100 + i))));
        String topics = many.stream().map(shard -> "MESSAGES " + shard.topic()).collect(Collectors.joining("\n"));
        log.heard(members(topics, "n1"), Set.copyOf(many));
        assertThat(logged())
                .allMatch(line -> line.startsWith("Node n1 watches topic t100 alone; ") && line.length() < 400)
                .allMatch(line -> line.endsWith("watches topic t109 alone; and so on for 190 topics more"));
    }

    @Test
    void topicThatTheOthersWereNotToldOfYetIsLeftToTheNextHeartbeat() {
        log.heard(members("", "n1"), shards("orders", 6));
        assertThat(logged()).isEmpty();
    }
}
