package io.delayqueue.coordination;

import io.delayqueue.message.Shard.Lane;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;

/**
 * Who is there.
 *
 * @param now Redis' clock
 * @param nodes that live, by name
 * @param paused topics that are paused on all nodes
 */
public record Roster(Instant now, List<Member> nodes, Set<String> paused) {

    /**
     * Which node watches which shard of a topic's messages, by the shards' indexes; empty if nobody does. Nodes come to the
     * same by themselves, with the first heartbeat that tells them who is there.
     *
     * @param shards how many the topic has, 1 or more
     */
    public List<String> watchers(String topic, int shards) {
        List<String> members = nodes.stream()
                .filter(node -> node.watched().contains(topic))
                .map(Member::name)
                .toList();
        return members.isEmpty() ? List.of() : Deal.watchers(topic, Lane.MESSAGES, shards, members);
    }

    /**
     * A node.
     *
     * @param name unique among all nodes ever
     * @param lastSeen its last heartbeat, by Redis' clock
     * @param messages topics of whose messages a listener runs there, paused or not
     * @param deaths topics of whose deaths a listener runs there, paused or not
     * @param watched those of {@code messages} that it takes its turn in watching: a listener runs and is not paused
     */
    public record Member(
            String name,
            Instant lastSeen,
            SortedSet<String> messages,
            SortedSet<String> deaths,
            SortedSet<String> watched) {}
}
