package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Three consumer processes are killed and restarted while messages are sent to four shards. */
@Tag("long")
@Tag("core")
class KilledConsumersTests {

    private static final int CONSUMERS = 3;

    /** Time within which messages interrupted by a kill are redelivered. */
    private static final Duration RECOVERY = ConsumerProcess.LEASE
            .plus(ConsumerProcess.SETTINGS.heartbeatTimeout())
            .plus(ConsumerProcess.SETTINGS.sweep());

    private static final int MAX_UNSETTLED = 5_000;
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    /** A dedicated thread: a long send must not occupy the common pool. */
    private static final Executor OWN_THREAD = task -> {
        Thread thread = new Thread(task, "sender");
        thread.setDaemon(true);
        thread.start();
    };

    private static final KeySpace KEYS = new KeySpace("dq");
    private static final int MESSAGES = 40_000;

    /** The last round kills one process, which is not restarted. */
    private static final int ROUNDS = 16;

    private static final int MAX_KILLED_PER_ROUND = 3;

    /** Number of messages that become due at the last kill. */
    private static final int BURST = 1_000;

    private static final Duration MIN_DELAY = Duration.ofSeconds(3);
    private static final Duration MAX_DELAY = Duration.ofSeconds(8);

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final DeliveryLog log = new DeliveryLog();
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private int kills;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /**
     * A Redis deployment.
     *
     * @param consumerAddresses addresses for the consumers
     * @param senderAddresses addresses for the sender, possibly of a fault proxy
     * @param servers servers that hold keys
     * @param serverOf returns the server that holds a key
     * @param callbacks callbacks of the sender
     */
    private record Deployment(
            List<String> consumerAddresses,
            List<String> senderAddresses,
            List<RedisServerProcess> servers,
            Function<String, RedisServerProcess> serverOf,
            ProofSender.SenderCallbacks callbacks) {}

    /** Limits the number of unsettled messages to {@link #MAX_UNSETTLED}. */
    private class BacklogLimit implements ProofSender.SenderCallbacks {

        @Override
        public Duration beforeBatch(int sent) {
            await().atMost(MAX_WAIT).until(() -> log.settled() + sent / 50 >= sent - MAX_UNSETTLED);
            return Duration.ZERO;
        }

        @Override
        public void outcomeUnknown() {
            // the send is repeated
        }
    }

    /**
     * Loses replies. Before some batches the reply of one script is cut, and the client retries it transparently. A few
     * batches lose all replies until the send times out.
     */
    private final class UnreliableNetwork extends BacklogLimit {

        private static final Duration LONGER_THAN_TIMEOUT = Duration.ofSeconds(15);

        private final FaultProxy proxy;

        private UnreliableNetwork(FaultProxy proxy) {
            this.proxy = proxy;
        }

        @Override
        public Duration beforeBatch(int sent) {
            super.beforeBatch(sent);
            if (sent % 10_000 == 5_000) {
                proxy.blackHole(Direction.SERVER_TO_CLIENT);
                return LONGER_THAN_TIMEOUT;
            }
            if (random.nextInt(4) == 0) {
                proxy.cutNextReply(RedisRequest::isScript);
            }
            return Duration.ZERO;
        }

        @Override
        public void outcomeUnknown() {
            proxy.pass();
        }
    }

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
    }

    @Test
    @Timeout(600)
    void killedConsumersLoseNoMessageOnOneRedis() {
        try (RedisServerProcess redis =
                        RedisServerProcess.builder().appendOnly().start();
                FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            run(new Deployment(
                    List.of("127.0.0.1:" + redis.port()),
                    List.of("127.0.0.1:" + proxy.port()),
                    List.of(redis),
                    key -> redis,
                    new UnreliableNetwork(proxy)));
        }
    }

    @Test
    @Timeout(600)
    void killedConsumersLoseNoMessageOnCluster() {
        try (RedisClusterProcess cluster =
                RedisClusterProcess.builder().replicasPerMaster(0).appendOnly().start()) {
            run(new Deployment(
                    cluster.addresses(),
                    cluster.addresses(),
                    cluster.masters(),
                    cluster::masterOf,
                    new BacklogLimit()));
        }
    }

    private void run(Deployment deployment) {
        System.out.println("seed " + seed);
        long begin = System.nanoTime();
        IntStream.range(0, CONSUMERS).forEach(i -> launch(deployment));
        try (QueueNode node = ConsumerProcess.node(deployment.senderAddresses()).start()) {
            ProofSender sender = new ProofSender(node, log, random, deployment.callbacks());
            long killedAt = killWhileSending(deployment, sender);
            try {
                awaitEnd(deployment);
            } catch (ConditionTimeoutException e) {
                log.check(stored(deployment), deadLetters(deployment)); // its message names the violations
                throw e;
            }
            assertThat(consumers).allMatch(KillableConsumer::isAlive);
            long last = log.lastSettledAt() - killedAt;
            System.out.println(kills + " kills in "
                    + Duration.ofNanos(System.nanoTime() - begin).toSeconds() + " s; the last message was settled "
                    + last
                    + " ms after the last kill, "
                    + sender.repeats() + " sends repeated; "
                    + log.check(stored(deployment), deadLetters(deployment)));
            assertThat(last)
                    .as(log.lastSettledHistory())
                    .isLessThan(RECOVERY.multipliedBy(3).toMillis());
            checkKeys(deployment);
        }
    }

    private void launch(Deployment deployment) {
        consumers.add(KillableConsumer.start(
                deployment.consumerAddresses(), directory.resolve("consumers.log"), log::record));
    }

    /** Returns the time of the last kill in milliseconds since 1970. */
    private long killWhileSending(Deployment deployment, ProofSender sender) {
        int first = MESSAGES - BURST;
        CompletableFuture<Void> sending =
                CompletableFuture.runAsync(() -> sender.send(0, first, MIN_DELAY, MAX_DELAY), OWN_THREAD);
        for (int round = 1; round < ROUNDS; round++) {
            int reached = first * round / ROUNDS;
            await().atMost(MAX_WAIT).until(() -> log.settled() >= reached);
            int killed = 1 + random.nextInt(MAX_KILLED_PER_ROUND);
            IntStream.range(0, killed).forEach(i -> killOne());
            IntStream.range(0, killed).forEach(i -> launch(deployment));
        }
        sending.orTimeout(MAX_WAIT.toSeconds(), TimeUnit.SECONDS).join();
        await().atMost(MAX_WAIT).until(() -> consumers.stream().allMatch(KillableConsumer::isReady));
        sender.send(first, MESSAGES, Duration.ofSeconds(2), Duration.ofSeconds(2));
        await().atMost(MAX_WAIT).pollInterval(Duration.ofMillis(5)).until(() -> log.highestStarted() >= first);
        return killOne();
    }

    /** Kills a consumer, preferably one that is handling a message. */
    private long killOne() {
        Collections.shuffle(consumers, random);
        KillableConsumer victim =
                consumers.stream().filter(log::isHandling).findFirst().orElse(consumers.get(0));
        consumers.remove(victim);
        victim.kill();
        kills++;
        return victim.killedAt();
    }

    private void awaitEnd(Deployment deployment) {
        Set<String> far = new HashSet<>();
        for (int i = 0; i < MESSAGES; i++) {
            if (ProofSender.isFar(i) && !log.isCancelled("m" + i)) {
                far.add("m" + i);
            }
        }
        await().atMost(MAX_WAIT)
                .untilAsserted(() -> assertThat(stored(deployment))
                        .as("messages stored after all due messages are settled")
                        .isEqualTo(far));
        await().atMost(MAX_WAIT)
                .untilAsserted(() -> assertThat(log.withUnknownOutcome(far, deadLetters(deployment)))
                        .as("messages with unknown outcome")
                        .isEmpty());
    }

    private static Set<String> stored(Deployment deployment) {
        return names(deployment, ShardKeys::messages, "HKEYS");
    }

    private static Set<String> deadLetters(Deployment deployment) {
        Set<String> ids = new HashSet<>();
        names(deployment, ShardKeys::dead, "ZRANGE", "0", "-1")
                .forEach(deadLetter -> ids.add(deadLetter.substring(0, deadLetter.lastIndexOf('@'))));
        return ids;
    }

    /** Elements of one key of each shard, without the sentinel. */
    private static Set<String> names(
            Deployment deployment, Function<ShardKeys, byte[]> which, String verb, String... arguments) {
        Set<String> names = new HashSet<>();
        for (Shard shard : Shard.all(ConsumerProcess.TOPIC, ConsumerProcess.SHARDS)) {
            String key = text(which.apply(KEYS.of(shard)));
            String[] command =
                    Stream.concat(Stream.of(verb, key), Stream.of(arguments)).toArray(String[]::new);
            ((List<?>) deployment.serverOf().apply(key).command(command)).forEach(name -> names.add(name.toString()));
        }
        names.removeIf(name -> name.startsWith("~~~"));
        return names;
    }

    private void checkKeys(Deployment deployment) {
        assertThat(names(deployment, ShardKeys::schedule, "ZRANGE", "0", "-1")).isEqualTo(stored(deployment));
        assertThat(names(deployment, ShardKeys::leases, "ZRANGE", "0", "-1")).isEmpty();
        assertThat(names(deployment, ShardKeys::deliveries, "HKEYS")).isEmpty();
        Set<String> documented = new HashSet<>();
        Stream.of(KEYS.topics(), KEYS.nodes(), KEYS.nodeTopics(), KEYS.nodeReports(), KEYS.formerNodes())
                .forEach(key -> documented.add(text(key)));
        for (Shard shard : Shard.all(ConsumerProcess.TOPIC, ConsumerProcess.SHARDS)) {
            ShardKeys messages = KEYS.of(shard);
            ShardKeys deadLettered = KEYS.of(shard.notifications());
            Stream.of(messages, deadLettered)
                    .flatMap(keys ->
                            Stream.of(keys.schedule(), keys.leases(), keys.messages(), keys.deliveries(), keys.meta()))
                    .forEach(key -> documented.add(text(key)));
            documented.add(text(messages.dead()));
            documented.add(text(messages.deadLetters()));
            documented.add(text(messages.sent()));
            documented.add(text(messages.sentUntil()));
        }
        Set<String> keys = new HashSet<>();
        deployment
                .servers()
                .forEach(server -> ((List<?>) server.command("KEYS", "*")).forEach(key -> keys.add(key + "")));
        assertThat(keys).isEqualTo(documented);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
