package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which nodes take turns in watching what, as one heartbeat told it, dealt once for each topic. Thread-safe. */
final class Members {

    /** Before anything was told. */
    static final Members UNKNOWN = new Members(Map.of());

    private final Map<String, List<String>> byLine;
    private final Map<Topic, List<String>> dealt = new ConcurrentHashMap<>();

    /** The shards that are dealt together. */
    record Topic(String name, Lane lane, int shards) {
        static Topic of(Shard shard) {
            return new Topic(shard.topic(), shard.lane(), shard.count());
        }
    }

    private Members(Map<String, List<String>> byLine) {
        this.byLine = byLine;
    }

    /** As a heartbeat's reply tells it, from its third part on: node, topics, node, topics. */
    static Members read(List<Object> reply) {
        Map<String, List<String>> members = new HashMap<>();
        for (int i = 2; i + 1 < reply.size(); i += 2) {
            String member = new String((byte[]) reply.get(i), UTF_8);
            String topics = new String((byte[]) reply.get(i + 1), UTF_8);
            for (String topic : topics.split("\n", -1)) {
                members.computeIfAbsent(topic, key -> new ArrayList<>()).add(member);
            }
        }
        return new Members(members);
    }

    /** How many take turns in watching a topic. */
    int count(Topic topic) {
        return of(topic).size();
    }

    /** Whether a node is among those. */
    boolean include(String node, Topic topic) {
        return of(topic).contains(node);
    }

    /** Whether a node has to watch a shard; also if it is not among those who take turns. */
    boolean dealTo(String node, Shard shard) {
        Topic topic = Topic.of(shard);
        return !include(node, topic) || watchers(topic).get(shard.index()).equals(node);
    }

    /** The indexes of the shards that a node watches; all of them if it is not among those who take turns. */
    List<Integer> sharesOf(String node, Topic topic) {
        boolean alone = !include(node, topic);
        List<Integer> shares = new ArrayList<>();
        for (int shard = 0; shard < topic.shards; shard++) {
            if (alone || watchers(topic).get(shard).equals(node)) {
                shares.add(shard);
            }
        }
        return shares;
    }

    private List<String> of(Topic topic) {
        return byLine.getOrDefault(ConsumedTopics.line(topic.name, topic.lane), List.of());
    }

    private List<String> watchers(Topic topic) {
        return dealt.computeIfAbsent(topic, key -> Deal.watchers(key.name, key.lane, key.shards, of(key)));
    }
}
