package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisErrorException;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis master, its replicas and three Sentinels for tests, each in a process of its own. A killed master is
 * replaced.
 *
 * <p>All listen on the loopback interface only and never outlive this JVM, see {@link RedisServerProcess}. The position
 * of a server in {@link #servers()} and its port do not change with its role.
 *
 * <p>Methods read the master from the running Sentinels in each call. If the views of Sentinels differ, the latest
 * failover counts.
 *
 * <p>Thread-safe.
 */
public final class RedisSentinelProcess implements AutoCloseable {

    /** The name of the master, the value of {@code spring.data.redis.sentinel.master}. */
    public static final String MASTER_NAME = "main";

    private static final int SENTINELS = 3;

    /** Longer than any method waits. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    private final List<RedisServerProcess> servers;

    private final List<RedisServerProcess> sentinels;

    private final Duration downAfter;

    private RedisSentinelProcess(
            List<RedisServerProcess> servers, List<RedisServerProcess> sentinels, Duration downAfter) {
        this.servers = List.copyOf(servers);
        this.sentinels = List.copyOf(sentinels);
        this.downAfter = downAfter;
    }

    /**
     * Starts a master, two replicas and three Sentinels.
     *
     * @return the running servers, which the caller must close
     * @see #builder()
     */
    public static RedisSentinelProcess start() {
        return builder().start();
    }

    /**
     * Creates a builder of configured servers.
     *
     * @return a new builder
     */
    public static RedisSentinelBuilder builder() {
        return new RedisSentinelBuilder();
    }

    static RedisSentinelProcess launch(
            int replicas,
            Duration downAfter,
            Supplier<RedisServerBuilder> server,
            Function<RedisServerProcess, RedisServerBuilder> sentinel) {
        List<RedisServerProcess> servers = new ArrayList<>();
        List<RedisServerProcess> sentinels = new ArrayList<>();
        try {
            RedisServerProcess master = server.get().start();
            servers.add(master);
            for (int i = 0; i < replicas; i++) {
                servers.add(server.get()
                        .setting("replicaof", master.host(), Integer.toString(master.port()))
                        .start());
            }
            // Sentinels discover replicas through their master.
            Polling.await("Replicas of " + master.port(), () -> attached(master, replicas));
            for (int i = 0; i < SENTINELS; i++) {
                RedisServerProcess started = sentinel.apply(master).start();
                sentinels.add(started);
                shortenPeriods(started);
            }
            RedisSentinelProcess all = new RedisSentinelProcess(servers, sentinels, downAfter);
            all.awaitOk();
            return all;
        } catch (RuntimeException ex) {
            sentinels.forEach(RedisServerProcess::close);
            servers.forEach(RedisServerProcess::close);
            throw ex;
        }
    }

    private static @Nullable String attached(RedisServerProcess master, int replicas) {
        long online = master.info("replication").values().stream()
                .filter((value) -> value.contains("state=online"))
                .count();
        return online == replicas ? null : "it has %s of %s".formatted(online, replicas);
    }

    /**
     * Makes a Sentinel poll and publish more often, and leave tilt mode sooner, than is suitable for production. Before Redis
     * 7.0 it cannot.
     */
    private static void shortenPeriods(RedisServerProcess sentinel) {
        try {
            sentinel.command("SENTINEL", "DEBUG", "info-period", "500", "publish-period", "500", "tilt-period", "3000");
        } catch (RedisErrorException ex) {
            if (!String.valueOf(ex.getMessage()).contains("Unknown subcommand")) {
                throw ex;
            }
        }
    }

    /**
     * Master and replicas in any role, running or not.
     *
     * @return first the one that was master at the start
     */
    public List<RedisServerProcess> servers() {
        return this.servers;
    }

    /**
     * The Sentinels, running or not.
     *
     * @return three
     */
    public List<RedisServerProcess> sentinels() {
        return this.sentinels;
    }

    /**
     * The addresses of the Sentinels, the value of {@code spring.data.redis.sentinel.nodes}.
     *
     * @return {@code host:port} of each Sentinel, in the order of {@link #sentinels()}
     */
    public List<String> addresses() {
        return this.sentinels.stream()
                .map((sentinel) -> "%s:%s".formatted(sentinel.host(), sentinel.port()))
                .toList();
    }

    /**
     * The master that the Sentinels report to clients. It may have been killed and not been replaced yet.
     *
     * @return the master as the Sentinels know it
     * @throws IllegalStateException if no Sentinel replies
     * @see #awaitNewMaster()
     */
    public RedisServerProcess master() {
        return running(this.sentinels)
                .flatMap((sentinel) -> monitored(sentinel).stream())
                .max(Comparator.comparingLong(MonitoredMaster::epoch))
                .map((latest) -> serverOn(latest.port()))
                .orElseThrow(() -> new IllegalStateException("No Sentinel replies"));
    }

    /**
     * The servers that run and follow the master.
     *
     * @return the replicas, in the order of {@link #servers()}
     */
    public List<RedisServerProcess> replicas() {
        String master = Integer.toString(master().port());
        return running(this.servers)
                .filter((server) -> master.equals(server.info("replication").get("master_port")))
                .toList();
    }

    private static Stream<RedisServerProcess> running(List<RedisServerProcess> processes) {
        return processes.stream().filter(RedisServerProcess::isRunning);
    }

    private static Optional<MonitoredMaster> monitored(RedisServerProcess sentinel) {
        try {
            return Optional.of(MonitoredMaster.by(sentinel));
        } catch (UncheckedIOException | RedisErrorException ex) {
            return Optional.empty(); // The Sentinel has just been killed, or is paused.
        }
    }

    private RedisServerProcess serverOn(int port) {
        return this.servers.stream()
                .filter((server) -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("A Sentinel follows a foreign master on port " + port));
    }

    /**
     * Ends the master as a crash would ({@code SIGKILL}). A replica then becomes the master.
     *
     * @return the server that was killed
     * @see #awaitNewMaster()
     */
    public RedisServerProcess killMaster() {
        RedisServerProcess master = master();
        master.kill();
        return master;
    }

    /**
     * Waits until all running Sentinels report the same server, and it runs as a master. Replicas may not follow it
     * yet.
     *
     * @return the master
     * @throws IllegalStateException if that takes more than a minute; the message has the reason
     */
    public RedisServerProcess awaitNewMaster() {
        Polling.await("A new master", this::disagreement);
        return master();
    }

    private @Nullable String disagreement() {
        List<MonitoredMaster> monitored =
                running(this.sentinels).map(MonitoredMaster::by).toList();
        if (monitored.isEmpty()
                || monitored.stream().mapToInt(MonitoredMaster::port).distinct().count() > 1) {
            return "Sentinels know " + monitored;
        }
        RedisServerProcess master = serverOn(monitored.get(0).port());
        if (!master.isRunning()) {
            return "the server on port %s does not run".formatted(master.port());
        }
        String role = String.valueOf(master.command(Polling.REPLY_TIMEOUT, "ROLE"));
        return role.startsWith("[master") ? null : "the server on port %s is %s".formatted(master.port(), role);
    }

    /**
     * Starts a server or a Sentinel again, on its port and with its directory. Waits until it is a replica that has the
     * master's data, the master if it was not replaced, or a Sentinel that monitors the master. A killed and replaced
     * master first starts as a master; the Sentinels make it a replica after a few seconds.
     *
     * <p>Until it has the master's data there is no failover: Sentinels would promote a server without data. Threads
     * that restart servers wait for one another.
     *
     * @param process one of {@link #servers()} or {@link #sentinels()}
     * @throws IllegalStateException if it does not start, or does not reach that state within a minute
     */
    public synchronized void restart(RedisServerProcess process) {
        boolean sentinel = this.sentinels.contains(process);
        if (!sentinel && !this.servers.contains(process)) {
            throw new IllegalArgumentException("The server on port %s is none of these".formatted(process.port()));
        }
        String purpose = "Return of " + process.port();
        if (sentinel) {
            process.restart();
            shortenPeriods(process);
            Polling.await(purpose, () -> sentinelProblem(process));
            return;
        }
        setDownAfter(NEVER);
        try {
            process.restart();
            Polling.await(purpose, () -> replicationProblem(process, master()));
        } finally {
            setDownAfter(this.downAfter);
        }
    }

    private void setDownAfter(Duration downAfter) {
        running(this.sentinels)
                .forEach((sentinel) -> sentinel.command(
                        "SENTINEL",
                        "SET",
                        MASTER_NAME,
                        "down-after-milliseconds",
                        Long.toString(downAfter.toMillis())));
    }

    /**
     * Waits until the running Sentinels agree on a running master and know the running servers and one another. Each
     * other running server must follow the master and have its data.
     *
     * @throws IllegalStateException if that takes more than a minute; the message has the reason
     */
    public void awaitOk() {
        Polling.await("Working servers and Sentinels", this::problem);
    }

    private @Nullable String problem() {
        String disagreement = disagreement();
        if (disagreement != null) {
            return disagreement;
        }
        RedisServerProcess master = master();
        return Stream.concat(
                        running(this.servers)
                                .flatMap((server) -> Stream.ofNullable(replicationProblem(server, master))),
                        running(this.sentinels).flatMap((sentinel) -> Stream.ofNullable(sentinelProblem(sentinel))))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String replicationProblem(RedisServerProcess server, RedisServerProcess master) {
        Map<String, String> replication = server.info("replication");
        boolean isCorrect = server == master
                ? "master".equals(replication.get("role"))
                : Integer.toString(master.port()).equals(replication.get("master_port"))
                        && "up".equals(replication.get("master_link_status"));
        return isCorrect ? null : "the server on port %s is %s".formatted(server.port(), replication);
    }

    /** Returns the running servers that a Sentinel has not detected, or null. */
    private @Nullable String sentinelProblem(RedisServerProcess sentinel) {
        MonitoredMaster monitored = MonitoredMaster.by(sentinel);
        if (!monitored.isHealthy()) {
            return "Sentinel %s sees %s".formatted(sentinel.port(), monitored);
        }
        List<Integer> seen = MonitoredMaster.healthyReplicasBy(sentinel);
        List<Integer> expected = running(this.servers)
                .map(RedisServerProcess::port)
                .filter((port) -> port != monitored.port())
                .toList();
        if (!seen.containsAll(expected)) {
            return "Sentinel %s sees replicas %s of %s".formatted(sentinel.port(), seen, expected);
        }
        long others = running(this.sentinels).count() - 1;
        return monitored.otherSentinels() >= others
                ? null
                : "Sentinel %s knows %s of %s others".formatted(sentinel.port(), monitored.otherSentinels(), others);
    }

    /**
     * Kills all processes and removes their directories. Closing again does nothing.
     */
    @Override
    public void close() {
        this.sentinels.forEach(RedisServerProcess::close);
        this.servers.forEach(RedisServerProcess::close);
    }
}
