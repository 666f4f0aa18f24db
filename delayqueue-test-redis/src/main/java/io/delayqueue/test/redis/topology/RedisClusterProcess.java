package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisErrorException;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis Cluster for tests, each node in a process of its own. Nodes can be killed, paused and restarted, and
 * slots can be moved from one master to another.
 *
 * <p>The nodes listen on the loopback interface only and never outlive this JVM, see {@link RedisServerProcess}. The
 * position of a node in {@link #nodes()}, its port and its id do not change with its role.
 *
 * <p>Methods read the roles from the running nodes in each call. If the views of nodes differ, as during a failover,
 * the higher configuration epoch counts.
 *
 * <p>Thread-safe.
 */
public final class RedisClusterProcess implements AutoCloseable {

    private final List<RedisServerProcess> nodes;

    private final Map<RedisServerProcess, FaultProxy> proxies;

    private final Map<String, RedisServerProcess> nodesById = new LinkedHashMap<>();

    private RedisClusterProcess(List<RedisServerProcess> nodes, Map<RedisServerProcess, FaultProxy> proxies) {
        this.nodes = List.copyOf(nodes);
        this.proxies = Map.copyOf(proxies);
        this.nodes.forEach((node) -> this.nodesById.put(String.valueOf(node.command("CLUSTER", "MYID")), node));
    }

    /**
     * Starts three masters with one replica each.
     *
     * @return the running cluster, which the caller must close
     * @see #builder()
     */
    public static RedisClusterProcess start() {
        return builder().start();
    }

    /**
     * Creates a builder of a configured cluster.
     *
     * @return a new builder
     */
    public static RedisClusterBuilder builder() {
        return new RedisClusterBuilder();
    }

    static RedisClusterProcess launch(
            int masters, int replicasPerMaster, boolean proxied, Supplier<RedisServerBuilder> node) {
        List<RedisServerProcess> nodes = new ArrayList<>();
        Map<RedisServerProcess, FaultProxy> proxies = new LinkedHashMap<>();
        try {
            int count = masters * (1 + replicasPerMaster);
            for (int i = 0; i < count; i++) {
                nodes.add(node.get().start());
            }
            if (proxied) {
                nodes.forEach((each) -> proxies.put(each, FaultProxy.inFrontOf(each)));
                proxies.forEach(RedisClusterProcess::announce);
            }
            new ClusterFormation(nodes, masters).form();
            RedisClusterProcess cluster = new RedisClusterProcess(nodes, proxies);
            cluster.awaitOk();
            return cluster;
        } catch (RuntimeException ex) {
            proxies.values().forEach(FaultProxy::close);
            nodes.forEach(RedisServerProcess::close);
            throw ex;
        }
    }

    /**
     * Lets a node announce the address of its proxy, also after restarts.
     */
    private static void announce(RedisServerProcess node, FaultProxy proxy) {
        node.command(
                "CONFIG",
                "SET",
                "cluster-announce-port",
                Integer.toString(proxy.port()),
                "cluster-announce-bus-port",
                Integer.toString(node.port() + ClusterFormation.BUS_OFFSET));
        node.command("CONFIG", "REWRITE");
    }

    /**
     * The nodes, running or not.
     *
     * @return first those that were masters at the start, in the order of their slots, then those that were replicas
     */
    public List<RedisServerProcess> nodes() {
        return this.nodes;
    }

    /**
     * The addresses of the nodes for clients, the value of {@code spring.data.redis.cluster.nodes}.
     *
     * @return {@code host:port} of each node, or of the proxy in front of it, in the order of {@link #nodes()}
     */
    public List<String> addresses() {
        return this.nodes.stream()
                .map((node) -> {
                    FaultProxy proxy = this.proxies.get(node);
                    return "%s:%s".formatted(node.host(), proxy == null ? node.port() : proxy.port());
                })
                .toList();
    }

    /**
     * The proxy in front of a node. {@link RedisServerProcess#command(String...)} does not use it.
     *
     * @param node a node of this cluster
     * @return its proxy, which exists whether the node runs or not
     * @throws IllegalStateException if the cluster was not built with {@link RedisClusterBuilder#proxied()}
     */
    public FaultProxy proxyOf(RedisServerProcess node) {
        idOf(node);
        FaultProxy proxy = this.proxies.get(node);
        if (proxy == null) {
            throw new IllegalStateException(
                    "This cluster has no proxies; build it with RedisClusterProcess.builder().proxied()");
        }
        return proxy;
    }

    /**
     * The slot of a key.
     *
     * @param key the key; if it has a part in braces, only that part counts
     * @return the slot, 0 to 16,383
     */
    public static int slotOf(String key) {
        return KeySlot.of(key.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The master that serves a key's slot.
     *
     * @param key the key
     * @return its master
     * @throws IllegalStateException if the slot has no running master at the moment
     */
    public RedisServerProcess masterOf(String key) {
        return masterOf(slotOf(key));
    }

    /**
     * The master that serves a key's slot.
     *
     * @param key the key
     * @return its master
     * @throws IllegalStateException if the slot has no running master at the moment
     */
    public RedisServerProcess masterOf(byte[] key) {
        return masterOf(KeySlot.of(key));
    }

    /**
     * The master that serves a slot. A migrating slot belongs to its old master.
     *
     * @param slot the slot, 0 to 16,383
     * @return its master
     * @throws IllegalStateException if the slot has no running master at the moment
     */
    public RedisServerProcess masterOf(int slot) {
        Objects.checkIndex(slot, KeySlot.COUNT);
        ClusterView.Member owner = views().stream()
                .flatMap((view) -> view.members().values().stream())
                .filter((member) -> member.is("master") && member.slots().get(slot))
                .max(Comparator.comparingLong(ClusterView.Member::epoch))
                .orElseThrow(() -> new IllegalStateException("No running node knows a master of slot " + slot));
        RedisServerProcess master = Objects.requireNonNull(this.nodesById.get(owner.id()));
        if (!master.isRunning()) {
            throw new IllegalStateException(
                    "The master of slot %s, node %s, does not run and was not replaced yet; awaitOk() waits for that"
                            .formatted(slot, master.port()));
        }
        return master;
    }

    /**
     * The nodes that run and serve slots.
     *
     * @return the masters, in the order of {@link #nodes()}
     */
    public List<RedisServerProcess> masters() {
        return this.nodes.stream()
                .filter(RedisServerProcess::isRunning)
                .filter((node) -> self(node)
                        .filter((self) -> self.is("master") && !self.slots().isEmpty())
                        .isPresent())
                .toList();
    }

    /**
     * The nodes that run and follow a node.
     *
     * @param node the master
     * @return its replicas, in the order of {@link #nodes()}; empty if it has none
     */
    public List<RedisServerProcess> replicasOf(RedisServerProcess node) {
        String id = idOf(node);
        return this.nodes.stream()
                .filter(RedisServerProcess::isRunning)
                .filter((other) ->
                        self(other).filter((self) -> self.master().equals(id)).isPresent())
                .toList();
    }

    private String idOf(RedisServerProcess node) {
        return this.nodesById.entrySet().stream()
                .filter((entry) -> entry.getValue() == node)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "The server on port %s is no node of this cluster".formatted(node.port())));
    }

    private List<ClusterView> views() {
        return this.nodes.stream()
                .filter(RedisServerProcess::isRunning)
                .flatMap((node) -> view(node).stream())
                .toList();
    }

    private static Optional<ClusterView.Member> self(RedisServerProcess node) {
        return view(node).map(ClusterView::self);
    }

    private static Optional<ClusterView> view(RedisServerProcess node) {
        try {
            return Optional.of(ClusterView.of(node));
        } catch (UncheckedIOException | RedisErrorException ex) {
            return Optional.empty(); // The node has just been killed, is paused, or loads its data.
        }
    }

    /**
     * Ends a node as a crash would ({@code SIGKILL}). If it is a master with a replica, the replica takes over.
     *
     * @param node a node of this cluster
     * @see #awaitOk()
     */
    public void kill(RedisServerProcess node) {
        idOf(node);
        node.kill();
    }

    /**
     * Starts a node again, on its port and with its directory, and waits until it is a replica that has the data of its
     * master, or a master that serves. A killed master becomes a replica if another node took over.
     *
     * @param node a node of this cluster
     * @throws IllegalStateException if it does not start, or does not reach that state within a minute
     */
    public void restart(RedisServerProcess node) {
        idOf(node);
        node.restart();
        Polling.await("Return of node " + node.port(), () -> problem(node));
    }

    /**
     * Waits until the running nodes agree that each slot has a running master, that no running node is suspected or
     * unreachable, and that each replica has its master's data.
     *
     * @throws IllegalStateException if that takes more than a minute; the message has the reason
     */
    public void awaitOk() {
        Polling.await("A working cluster", this::clusterProblem);
    }

    private @Nullable String clusterProblem() {
        Map<RedisServerProcess, ClusterView> views = new LinkedHashMap<>();
        for (RedisServerProcess node : this.nodes) {
            if (node.isRunning()) {
                String problem = problem(node);
                if (problem != null) {
                    return problem;
                }
                views.put(node, ClusterView.of(node));
            }
        }
        int served = views.values().stream()
                .map(ClusterView::self)
                .filter((self) -> self.is("master"))
                .mapToInt((self) -> self.slots().cardinality())
                .sum();
        if (served != KeySlot.COUNT) {
            return "running masters serve %s slots".formatted(served);
        }
        return views.entrySet().stream()
                .flatMap((asked) -> views.values().stream()
                        .flatMap((other) -> disagreement(asked.getKey(), asked.getValue(), other.self())))
                .findFirst()
                .orElse(null);
    }

    private Stream<String> disagreement(RedisServerProcess asked, ClusterView view, ClusterView.Member other) {
        ClusterView.Member seen = view.members().get(other.id());
        if (seen != null && !seen.isSuspect() && seen.connected() && seen.agreesWith(other)) {
            return Stream.empty();
        }
        return Stream.of("node %s sees %s, but it is %s".formatted(asked.port(), seen, other));
    }

    /** Returns the problem that a node reports about itself, or null. */
    private static @Nullable String problem(RedisServerProcess node) {
        String info = String.valueOf(node.command(Polling.REPLY_TIMEOUT, "CLUSTER", "INFO"));
        if (!info.contains("cluster_state:ok")) {
            return "node %s says %s"
                    .formatted(node.port(), info.lines().limit(5).collect(Collectors.joining(", ")));
        }
        Map<String, String> replication = node.info("replication");
        if ("slave".equals(replication.get("role")) && !"up".equals(replication.get("master_link_status"))) {
            return "replica %s has not the data of its master yet".formatted(node.port());
        }
        return null;
    }

    /**
     * Begins to move a slot from one master to another. The old master redirects commands on keys that it does not hold
     * to the new one ({@code ASK}), and rejects commands on several keys of which it holds some ({@code TRYAGAIN}). The
     * methods of the returned object continue the move.
     *
     * @param slot the slot, 0 to 16,383
     * @param from its master
     * @param to another master
     * @return the move; if it is not finished, the slot stays in migration
     * @throws RedisErrorException if {@code from} does not serve the slot or {@code to} is not a master
     */
    public SlotMove moveSlot(int slot, RedisServerProcess from, RedisServerProcess to) {
        Objects.checkIndex(slot, KeySlot.COUNT);
        return SlotMove.begin(this, slot, new SlotMove.End(from, idOf(from)), new SlotMove.End(to, idOf(to)));
    }

    /**
     * Removes all data and all cached scripts from the running masters, and thereby from their replicas.
     */
    public void flush() {
        masters().forEach(RedisServerProcess::flush);
    }

    /**
     * Closes the proxies, kills all nodes and removes their directories. Closing again does nothing.
     */
    @Override
    public void close() {
        this.proxies.values().forEach(FaultProxy::close);
        this.nodes.forEach(RedisServerProcess::close);
    }
}
