package io.delayqueue.coordination;

import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The consumers that take part in shard assignment on this node, and all shards for which a listener runs here. If
 * several consumers of this node join a shard, only the first one sweeps it. Thread-safe.
 */
final class LocalAssignments {

    private final String node;
    private final Supplier<Members> members;
    private final BooleanSupplier isolated;
    private final Runnable onLeave;
    private final Map<Shard, AssignmentsOfShard> byShard = new LinkedHashMap<>();
    private final Map<Shard, Integer> consumers = new HashMap<>();

    /**
     * Creates the assignments of a node.
     *
     * @param members the members according to the last heartbeat
     * @param isolated whether the last heartbeat is older than the node timeout; the node then sweeps all its shards
     * @param onLeave called after a consumer left
     */
    LocalAssignments(String node, Supplier<Members> members, BooleanSupplier isolated, Runnable onLeave) {
        this.node = node;
        this.members = members;
        this.isolated = isolated;
        this.onLeave = onLeave;
    }

    ShardAssignment take(Shard shard, Runnable onChange) {
        synchronized (byShard) {
            AssignmentsOfShard assignments = byShard.computeIfAbsent(shard, AssignmentsOfShard::new);
            LocalAssignment assignment = new LocalAssignment(assignments, onChange);
            assignments.taken = with(assignments.taken, assignment);
            return assignment;
        }
    }

    private static List<LocalAssignment> with(List<LocalAssignment> some, LocalAssignment another) {
        List<LocalAssignment> all = new ArrayList<>(some);
        all.add(another);
        return List.copyOf(all);
    }

    void addConsumer(Shard shard) {
        synchronized (byShard) {
            consumers.merge(shard, 1, Integer::sum);
        }
    }

    void removeConsumer(Shard shard) {
        synchronized (byShard) {
            consumers.computeIfPresent(shard, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The text of {@link ConsumedTopics} for this node. */
    String consumed() {
        synchronized (byShard) {
            return ConsumedTopics.write(byShard.keySet(), consumers.keySet());
        }
    }

    /** The shards that consumers of this node have joined. */
    Set<Shard> shards() {
        synchronized (byShard) {
            return Set.copyOf(byShard.keySet());
        }
    }

    /** Calls {@code onChange} of each consumer that was assigned its shard, or that sweeps and has its first peer. */
    void notifyChanged() {
        all().forEach(LocalAssignment::notifyIfChanged);
    }

    /** Makes every consumer of this node poll once, assigned or not. */
    void pollAll() {
        all().forEach(assignment -> assignment.onChange.run());
    }

    private List<LocalAssignment> all() {
        List<LocalAssignment> all = new ArrayList<>();
        synchronized (byShard) {
            byShard.values().forEach(assignments -> all.addAll(assignments.taken));
        }
        return all;
    }

    /** The consumers of one shard. Methods that every poll calls take no lock and compute no hash. */
    private final class AssignmentsOfShard {

        private final Shard shard;
        private volatile List<LocalAssignment> taken = List.of();
        private volatile Standing standing;

        AssignmentsOfShard(Shard shard) {
            this.shard = shard;
            this.standing = Standing.of(shard, node, Members.UNKNOWN);
        }

        Standing standing() {
            Members now = members.get();
            Standing known = standing;
            if (known.among != now) {
                known = Standing.of(shard, node, now);
                standing = known;
            }
            return known;
        }
    }

    private record Standing(Members among, boolean isAssigned, boolean hasPeers) {
        static Standing of(Shard shard, String node, Members among) {
            return new Standing(among, among.isAssigned(node, shard), among.count(Members.Topic.of(shard)) > 1);
        }
    }

    private final class LocalAssignment implements ShardAssignment {

        private final AssignmentsOfShard assignments;
        private final Runnable onChange;
        private volatile boolean assigned;
        private volatile boolean hadPeers;

        LocalAssignment(AssignmentsOfShard assignments, Runnable onChange) {
            this.assignments = assignments;
            this.onChange = onChange;
        }

        @Override
        public boolean isAssigned() {
            List<LocalAssignment> taken = assignments.taken;
            return !taken.isEmpty()
                    && taken.get(0) == this
                    && (isolated.getAsBoolean() || assignments.standing().isAssigned);
        }

        @Override
        public boolean hasPeers() {
            return assignments.taken.size() > 1 || assignments.standing().hasPeers;
        }

        void notifyIfChanged() {
            boolean now = isAssigned();
            boolean peers = hasPeers();
            if (now && (!assigned || (peers && !hadPeers))) {
                onChange.run();
            }
            assigned = now;
            hadPeers = peers;
        }

        @Override
        public void leave() {
            List<LocalAssignment> left;
            synchronized (byShard) {
                left = assignments.taken.stream()
                        .filter(assignment -> assignment != this)
                        .toList();
                assignments.taken = left;
                if (left.isEmpty()) {
                    byShard.remove(assignments.shard, assignments);
                }
            }
            if (!left.isEmpty()) {
                left.get(0).notifyIfChanged();
            }
            onLeave.run();
        }
    }
}
