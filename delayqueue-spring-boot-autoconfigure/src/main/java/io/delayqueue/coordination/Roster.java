package io.delayqueue.coordination;

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
     * A node.
     *
     * @param name unique among all nodes ever
     * @param lastSeen its last heartbeat, by Redis' clock
     * @param messages topics of whose messages a listener runs there, paused or not
     * @param deaths topics of whose deaths a listener runs there, paused or not
     */
    public record Member(String name, Instant lastSeen, SortedSet<String> messages, SortedSet<String> deaths) {}
}
