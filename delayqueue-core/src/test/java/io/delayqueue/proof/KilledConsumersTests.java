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

/** Three consumers, each a process of its own, are killed and started anew while messages come to four shards. */
class KilledConsumersTests {

    private static final int CONSUMERS = 3;

    /** Within this, what the last kill interrupted is handled again. */
    private static final Duration RECOVERY = ConsumerProcess.LEASE
            .plus(ConsumerProcess.SETTINGS.heartbeatTimeout())
            .plus(ConsumerProcess.SETTINGS.sweep());

    private static final int MOST_OPEN = 5_000;
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);
    /** Who sends for long must not hold the common pool. */
    private static final Executor OWN_THREAD = task -> {
        Thread thread = new Thread(task, "sender");
        thread.setDaemon(true);
        thread.start();
    };

    private static final KeySpace KEYS = new KeySpace("dq");
    private static final Size SHORT = new Size(1_500, 2, 1, 500, Duration.ofSeconds(1), Duration.ofSeconds(2));
    private static final Size LONG = new Size(40_000, 16, 3, 1_000, Duration.ofSeconds(3), Duration.ofSeconds(8));

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final DeliveryLog log = new DeliveryLog();
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private int kills;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /**
     * How much is done.
     *
     * @param rounds how often there are kills, the last one of one process, which stays away
     * @param atOnce how many processes a round kills at most
     * @param burst how many messages come due when the last kill comes
     * @param earliest how long after its send a message comes due at least
     * @param latest the same at most
     */
    private record Size(int messages, int rounds, int atOnce, int burst, Duration earliest, Duration latest) {}

    /**
     * A Redis.
     *
     * @param forConsumers its addresses
     * @param forSender the same, perhaps through a bad network
     * @param servers what holds keys
     * @param serverOf which of them holds a key
     * @param adversity what the sender has to bear
     */
    private record Place(
            List<String> forConsumers,
            List<String> forSender,
            List<RedisServerProcess> servers,
            Function<String, RedisServerProcess> serverOf,
            ProofSender.Adversity adversity) {}

    /** Sends no more than so many ahead. */
    private class Unharmed implements ProofSender.Adversity {

        @Override
        public Duration beforeBatch(int sent) {
            await().atMost(MAX_WAIT).until(() -> log.done() + sent / 50 >= sent - MOST_OPEN);
            return Duration.ZERO;
        }

        @Override
        public void unknown() {
            // it will pass
        }
    }

    /** Loses answers: that of one script now and then, whose sender repeats it unseen, and seldom those of a while. */
    private final class BadNetwork extends Unharmed {

        private static final Duration LONGER_THAN_TIMEOUT = Duration.ofSeconds(15);

        private final FaultProxy proxy;
        private final boolean blacksOut;

        private BadNetwork(FaultProxy proxy, boolean blacksOut) {
            this.proxy = proxy;
            this.blacksOut = blacksOut;
        }

        @Override
        public Duration beforeBatch(int sent) {
            super.beforeBatch(sent);
            if (blacksOut && sent % 10_000 == 5_000) {
                proxy.blackHole(Direction.SERVER_TO_CLIENT);
                return LONGER_THAN_TIMEOUT;
            }
            if (random.nextInt(4) == 0) {
                proxy.cutNextReply(RedisRequest::isScript);
            }
            return Duration.ZERO;
        }

        @Override
        public void unknown() {
            proxy.pass();
        }
    }

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
    }

    @Test
    @Timeout(120)
    void killsLoseNothingOnOneRedis() {
        onOneRedis(SHORT);
    }

    @Test
    @Timeout(120)
    void killsLoseNothingOnCluster() {
        onCluster(SHORT);
    }

    @Test
    @Tag("soak")
    @Timeout(600)
    void manyKillsLoseNothingOnOneRedis() {
        onOneRedis(LONG);
    }

    @Test
    @Tag("soak")
    @Timeout(600)
    void manyKillsLoseNothingOnCluster() {
        onCluster(LONG);
    }

    private void onCluster(Size size) {
        try (RedisClusterProcess cluster =
                RedisClusterProcess.builder().replicasPerMaster(0).appendOnly().start()) {
            prove(
                    new Place(
                            cluster.addresses(),
                            cluster.addresses(),
                            cluster.masters(),
                            cluster::masterOf,
                            new Unharmed()),
                    size);
        }
    }

    private void onOneRedis(Size size) {
        try (RedisServerProcess redis =
                        RedisServerProcess.builder().appendOnly().start();
                FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            prove(
                    new Place(
                            List.of("127.0.0.1:" + redis.port()),
                            List.of("127.0.0.1:" + proxy.port()),
                            List.of(redis),
                            key -> redis,
                            new BadNetwork(proxy, size.equals(LONG))),
                    size);
        }
    }

    private void prove(Place place, Size size) {
        System.out.println("seed " + seed);
        long begin = System.nanoTime();
        IntStream.range(0, CONSUMERS).forEach(i -> launch(place));
        try (QueueNode node = ConsumerProcess.node(place.forSender()).start()) {
            ProofSender sender = new ProofSender(node, log, random, place.adversity());
            long killedAt = killWhileSending(place, size, sender);
            try {
                awaitEnd(place, size.messages());
            } catch (ConditionTimeoutException e) {
                log.check(stored(place), deadLetters(place)); // it can tell more
                throw e;
            }
            assertThat(consumers).allMatch(KillableConsumer::isAlive);
            long last = log.lastDone() - killedAt;
            System.out.println(kills + " kills in "
                    + Duration.ofNanos(System.nanoTime() - begin).toSeconds() + " s; the last message was done " + last
                    + " ms after the last one, "
                    + sender.repeats() + " were sent again; "
                    + log.check(stored(place), deadLetters(place)));
            assertThat(last)
                    .as(log.lastHistory())
                    .isLessThan(RECOVERY.multipliedBy(3).toMillis());
            checkKeys(place);
        }
    }

    private void launch(Place place) {
        consumers.add(KillableConsumer.start(place.forConsumers(), directory.resolve("consumers.log"), log::tell));
    }

    /** When the last kill came, in ms since 1970. */
    private long killWhileSending(Place place, Size size, ProofSender sender) {
        int first = size.messages() - size.burst();
        CompletableFuture<Void> sending =
                CompletableFuture.runAsync(() -> sender.send(0, first, size.earliest(), size.latest()), OWN_THREAD);
        for (int round = 1; round < size.rounds(); round++) {
            int reached = first * round / size.rounds();
            await().atMost(MAX_WAIT).until(() -> log.done() >= reached);
            int killed = 1 + random.nextInt(size.atOnce());
            IntStream.range(0, killed).forEach(i -> killOne());
            IntStream.range(0, killed).forEach(i -> launch(place));
        }
        sending.orTimeout(MAX_WAIT.toSeconds(), TimeUnit.SECONDS).join();
        await().atMost(MAX_WAIT).until(() -> consumers.stream().allMatch(KillableConsumer::isReady));
        sender.send(first, size.messages(), Duration.ofSeconds(2), Duration.ofSeconds(2));
        await().atMost(MAX_WAIT).pollInterval(Duration.ofMillis(5)).until(() -> log.highestStarted() >= first);
        return killOne();
    }

    /** One that is handling something, if there is one. */
    private long killOne() {
        Collections.shuffle(consumers, random);
        KillableConsumer victim =
                consumers.stream().filter(log::isHandling).findFirst().orElse(consumers.get(0));
        consumers.remove(victim);
        victim.kill();
        kills++;
        return victim.killedAt();
    }

    private void awaitEnd(Place place, int messages) {
        Set<String> far = new HashSet<>();
        for (int i = 0; i < messages; i++) {
            if (ProofSender.isFar(i) && !log.isCancelled("m" + i)) {
                far.add("m" + i);
            }
        }
        await().atMost(MAX_WAIT)
                .untilAsserted(() -> assertThat(stored(place))
                        .as("what is left when all is done that was due")
                        .isEqualTo(far));
        await().atMost(MAX_WAIT)
                .untilAsserted(() -> assertThat(log.open(far, deadLetters(place)))
                        .as("messages of which nobody knows the end")
                        .isEmpty());
    }

    private static Set<String> stored(Place place) {
        return names(place, ShardKeys::messages, "HKEYS");
    }

    private static Set<String> deadLetters(Place place) {
        Set<String> ids = new HashSet<>();
        names(place, ShardKeys::dead, "ZRANGE", "0", "-1")
                .forEach(deadLetter -> ids.add(deadLetter.substring(0, deadLetter.lastIndexOf('@'))));
        return ids;
    }

    /** What a key of each shard holds besides its sentinel. */
    private static Set<String> names(Place place, Function<ShardKeys, byte[]> which, String verb, String... arguments) {
        Set<String> names = new HashSet<>();
        for (Shard shard : Shard.all(ConsumerProcess.TOPIC, ConsumerProcess.SHARDS)) {
            String key = text(which.apply(KEYS.of(shard)));
            String[] command =
                    Stream.concat(Stream.of(verb, key), Stream.of(arguments)).toArray(String[]::new);
            ((List<?>) place.serverOf().apply(key).command(command)).forEach(name -> names.add(name.toString()));
        }
        names.removeIf(name -> name.startsWith("~~~"));
        return names;
    }

    private void checkKeys(Place place) {
        assertThat(names(place, ShardKeys::schedule, "ZRANGE", "0", "-1")).isEqualTo(stored(place));
        assertThat(names(place, ShardKeys::leases, "ZRANGE", "0", "-1")).isEmpty();
        assertThat(names(place, ShardKeys::deliveries, "HKEYS")).isEmpty();
        Set<String> documented = new HashSet<>();
        Stream.of(KEYS.topics(), KEYS.nodes(), KEYS.nodeTopics()).forEach(key -> documented.add(text(key)));
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
        place.servers().forEach(server -> ((List<?>) server.command("KEYS", "*")).forEach(key -> keys.add(key + "")));
        assertThat(keys).isEqualTo(documented);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
