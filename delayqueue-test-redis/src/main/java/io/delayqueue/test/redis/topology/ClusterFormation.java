package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Joins separate nodes to a cluster. */
final class ClusterFormation {

    /** Difference between the port of the cluster bus and that of the node. */
    static final int BUS_OFFSET = 10_000;

    private final List<RedisServerProcess> nodes;

    private final int masters;

    /**
     * Creates a formation.
     *
     * @param nodes the masters, then the replicas
     */
    ClusterFormation(List<RedisServerProcess> nodes, int masters) {
        this.nodes = nodes;
        this.masters = masters;
    }

    void form() {
        assignSlots();
        meet();
        Polling.await("Nodes that know one another", this::incompleteView);
        replicate();
    }

    private void assignSlots() {
        for (int i = 0; i < this.masters; i++) {
            RedisServerProcess master = this.nodes.get(i);
            master.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            // Redis 6.2 has no ADDSLOTSRANGE.
            Stream<String> slots = IntStream.range(
                            KeySlot.COUNT * i / this.masters, KeySlot.COUNT * (i + 1) / this.masters)
                    .mapToObj(Integer::toString);
            master.command(
                    Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
        }
    }

    /** Introduces each pair of nodes, which is faster than gossip. */
    private void meet() {
        for (int i = 0; i < this.nodes.size(); i++) {
            for (RedisServerProcess other : this.nodes.subList(i + 1, this.nodes.size())) {
                this.nodes
                        .get(i)
                        .command(
                                "CLUSTER",
                                "MEET",
                                other.host(),
                                Integer.toString(other.port()),
                                Integer.toString(other.port() + BUS_OFFSET));
            }
        }
    }

    private @Nullable String incompleteView() {
        for (RedisServerProcess node : this.nodes) {
            ClusterView view = ClusterView.of(node);
            if (view.members().size() != this.nodes.size()
                    || view.members().values().stream().anyMatch(ClusterView.Member::isSuspect)) {
                return "node %s knows %s".formatted(node.port(), view.members().values());
            }
        }
        return null;
    }

    private void replicate() {
        for (int i = this.masters; i < this.nodes.size(); i++) {
            RedisServerProcess master = this.nodes.get(i % this.masters);
            String id = String.valueOf(master.command("CLUSTER", "MYID"));
            this.nodes.get(i).command("CLUSTER", "REPLICATE", id);
        }
    }
}
