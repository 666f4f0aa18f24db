package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisErrorException;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis Cluster, each node in a process of its own, for tests: its nodes can be killed, paused and restarted, its
 * slots moved from one master to another.
 *
 * <p>The nodes listen on the loopback interface only and never outlive this JVM, see {@link RedisServerProcess}. A node
 * keeps its place in {@link #nodes()}, its port and its id, whatever its role becomes.
 *
 * <p>Who is whose master is asked of the nodes that run, each time; where they differ, which they do while a failover
 * goes on, the higher configuration epoch is right.
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
     * @return the running cluster; whoever started it closes it
     * @see #builder()
     */
    public static RedisClusterProcess start() {
        return builder().start();
    }

    /**
     * Says how the cluster is to be made up.
     *
     * @return a new builder
     */
    public static RedisClusterBuilder builder() {
        return new RedisClusterBuilder();
    }

    static RedisClusterProcess launch(RedisClusterBuilder settings) {
        List<RedisServerProcess> nodes = new ArrayList<>();
        Map<RedisServerProcess, FaultProxy> proxies = new LinkedHashMap<>();
        try {
            int count = settings.masters() * (1 + settings.replicasPerMaster());
            for (int i = 0; i < count; i++) {
                nodes.add(settings.node().start());
            }
            if (settings.isProxied()) {
                nodes.forEach((node) -> proxies.put(node, FaultProxy.inFrontOf(node)));
                proxies.forEach(RedisClusterProcess::announce);
            }
            new ClusterFormation(nodes, settings.masters()).form();
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
     * Has a node send clients to its proxy, also after restarts.
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
     * Where clients find the nodes, as {@code spring.data.redis.cluster.nodes} wants it.
     *
     * @return {@code host:port} of each node, or of the proxy in front of it, in the order of {@link #nodes()}
     */
    public List<String> addresses() {
        return this.nodes.stream()
                .map((node) -> {
                    FaultProxy proxy = this.proxies.get(node);
                    return "%s:%d".formatted(node.host(), proxy == null ? node.port() : proxy.port());
                })
                .toList();
    }

    /**
     * The bad network in front of a node. {@link RedisServerProcess#command(String...)} goes past it.
     *
     * @param node a node of this cluster
     * @return its proxy, which stays in front of it whether the node runs or not
     * @throws IllegalStateException if the cluster was not made with {@link RedisClusterBuilder#proxied()}
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
     * @param key the key, of which only what stands in braces counts if there is such a part
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
     * The master that serves a slot. A slot on the move belongs to where it comes from.
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
                    "The master of slot %d, node %d, does not run and was not replaced yet; awaitOk() waits for that"
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
     * @return its replicas, in the order of {@link #nodes()}; none if it is none's master
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
                        "The server on port %d is no node of this cluster".formatted(node.port())));
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
            return Optional.empty(); // It has just been killed, is paused, or loads its data.
        }
    }

    /**
     * Ends a node as a crash would ({@code SIGKILL}). If it is a master with a replica, that takes over by itself.
     *
     * @param node a node of this cluster
     * @see #awaitOk()
     */
    public void kill(RedisServerProcess node) {
        idOf(node);
        node.kill();
    }

    /**
     * Starts a node again, on its port and with its directory, and waits until it is back: as a replica whose data is
     * that of its master, or as a master that serves. A killed master comes back as a replica if another took over.
     *
     * @param node a node of this cluster
     * @throws IllegalStateException if it does not start, or is not back within a minute
     */
    public void restart(RedisServerProcess node) {
        idOf(node);
        node.restart();
        Timeouts.await("Return of node " + node.port(), () -> trouble(node));
    }

    /**
     * Waits until the nodes that run agree that all is well: each slot has a running master, nobody is suspected or
     * unreachable, each replica has its master's data. Nodes that don't run may be missing.
     *
     * @throws IllegalStateException if that is not so within a minute; the message says why
     */
    public void awaitOk() {
        Timeouts.await("A cluster in order", this::disorder);
    }

    private @Nullable String disorder() {
        Map<RedisServerProcess, ClusterView> views = new LinkedHashMap<>();
        for (RedisServerProcess node : this.nodes) {
            if (node.isRunning()) {
                String trouble = trouble(node);
                if (trouble != null) {
                    return trouble;
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
            return "running masters serve %d slots".formatted(served);
        }
        return views.entrySet().stream()
                .flatMap((asked) -> views.values().stream()
                        .flatMap((other) -> dispute(asked.getKey(), asked.getValue(), other.self())))
                .findFirst()
                .orElse(null);
    }

    private Stream<String> dispute(RedisServerProcess asked, ClusterView view, ClusterView.Member other) {
        ClusterView.Member seen = view.members().get(other.id());
        if (seen != null && !seen.isSuspect() && seen.connected() && seen.agreesWith(other)) {
            return Stream.empty();
        }
        return Stream.of("node %d sees %s, but it is %s".formatted(asked.port(), seen, other));
    }

    /** Returns the problem that a node reports about itself, or null. */
    private static @Nullable String trouble(RedisServerProcess node) {
        String info = String.valueOf(node.command(Timeouts.REPLY, "CLUSTER", "INFO"));
        if (!info.contains("cluster_state:ok")) {
            return "node %d says %s"
                    .formatted(node.port(), info.lines().limit(5).collect(Collectors.joining(", ")));
        }
        Map<String, String> replication = node.info("replication");
        if ("slave".equals(replication.get("role")) && !"up".equals(replication.get("master_link_status"))) {
            return "replica %d has not the data of its master yet".formatted(node.port());
        }
        return null;
    }

    /**
     * Begins to move a slot from one master to another: from now on keys that its old master does not hold are asked of
     * the new one ({@code ASK}), and commands on keys of which it holds some are refused ({@code TRYAGAIN}). Nothing
     * else happens until the move is told to go on.
     *
     * @param slot the slot, 0 to 16,383
     * @param from its master
     * @param to another master
     * @return the move; abandoned, it leaves the slot where it is, on the move
     * @throws RedisErrorException if {@code from} does not serve the slot or {@code to} is no master
     */
    public SlotMove moveSlot(int slot, RedisServerProcess from, RedisServerProcess to) {
        Objects.checkIndex(slot, KeySlot.COUNT);
        return SlotMove.begin(this, slot, new SlotMove.End(from, idOf(from)), new SlotMove.End(to, idOf(to)));
    }

    /**
     * Removes all data and all cached scripts from the masters that run, and thereby from their replicas.
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
