package io.delayqueue.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static RedisServerProcess redis;

    private FaultProxy proxy;

    private RedisClient lettuce;

    private StatefulRedisConnection<String, String> connection;

    @BeforeAll
    static void startRedis() {
        redis = RedisServerProcess.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void startProxy() {
        redis.flush();
        this.proxy = FaultProxy.inFrontOf(redis);
    }

    @AfterEach
    void stopProxy() {
        if (this.lettuce != null) {
            this.lettuce.shutdown();
        }
        this.proxy.close();
    }

    @Test
    void requestsAndRepliesPassUnchanged() throws IOException {
        String megabyte = "0123456789abcdéf".repeat(1 << 16);
        try (RespConnection client = connect(TIMEOUT)) {
            assertThat(client.call("SET", "key", megabyte)).isEqualTo("OK");
            assertThat(client.call("GET", "key")).isEqualTo(megabyte);
            assertThat(client.call("GET", "none")).isNull();
            assertThat(client.call("EVAL", "return {{1, 'a'}, {}}", "0"))
                    .isEqualTo(List.of(List.of(1L, "a"), List.of()));
        }
    }

    @Test
    void trafficIsCounted() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("SET", "key", "value");
            client.call("get", "key");
            client.call("EVAL", "return 1", "0");
        }
        ProxyTraffic traffic = this.proxy.traffic();
        assertThat(traffic.connections()).isEqualTo(1);
        assertThat(traffic.requests()).isEqualTo(3);
        assertThat(traffic.roundTrips()).isEqualTo(3);
        assertThat(traffic.requests("GET")).isEqualTo(1);
        assertThat(traffic.requestsByName()).containsOnlyKeys("SET", "GET", "EVAL");
        traffic.reset();
        assertThat(traffic.requests()).isZero();
        await().until(() -> this.proxy.openConnections() == 0);
    }

    @Test
    void pipelineIsOneRoundTrip() {
        connectWithLettuce();
        this.proxy.delay(Duration.ofMillis(300));
        this.proxy.traffic().reset();
        this.connection.setAutoFlushCommands(false);
        List<CompletableFuture<Long>> replies = increments(4);
        this.connection.flushCommands();
        assertThat(replies).allSatisfy((reply) -> assertThat(reply).succeedsWithin(TIMEOUT));
        assertThat(this.proxy.traffic().requests()).isEqualTo(4);
        assertThat(this.proxy.traffic().roundTrips()).isEqualTo(1);
    }

    @Test
    void requestsAreRecordedOnDemand() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            assertThat(this.proxy.traffic().recorded()).isEmpty();
            this.proxy.traffic().startRecording();
            client.call("set", "key", "two words");
        }
        assertThat(this.proxy.traffic().recorded()).singleElement().satisfies((request) -> {
            assertThat(request.name()).isEqualTo("SET");
            assertThat(request.arguments()).containsExactly("key", "two words");
            assertThat(request.isScript()).isFalse();
        });
    }

    @Tag("long")
    @Tag("core")
    @Test
    void requestsAreDelayedConcurrently() {
        connectWithLettuce();
        this.proxy.delay(Duration.ofMillis(300));
        long start = System.nanoTime();
        List<CompletableFuture<Long>> replies = increments(20);
        assertThat(replies).allSatisfy((reply) -> assertThat(reply).succeedsWithin(TIMEOUT));
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        assertThat(elapsed).isBetween(Duration.ofMillis(300), Duration.ofSeconds(3));
    }

    @Test
    void repliesCanBeDelayedWithoutRequests() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            this.proxy.delay(Duration.ofHours(1), Duration.ZERO, Direction.SERVER_TO_CLIENT);
            assertUnanswered(client, () -> "1".equals(redis.command("GET", "key")), "INCR", "key");
        }
    }

    @Test
    void jitterKeepsTheOrder() {
        connectWithLettuce();
        this.proxy.delay(Duration.ofMillis(5), Duration.ofMillis(50), Direction.values());
        List<CompletableFuture<Long>> replies = increments(50);
        for (int i = 0; i < replies.size(); i++) {
            assertThat(replies.get(i)).succeedsWithin(TIMEOUT).isEqualTo(i + 1L);
        }
    }

    @Test
    void delayedRepliesPrecedeLaterOnes() {
        connectWithLettuce();
        this.proxy.delay(Duration.ofMillis(300), Duration.ZERO, Direction.SERVER_TO_CLIENT);
        List<CompletableFuture<Long>> held = increments(3);
        await().until(() -> "3".equals(redis.command("GET", "key")));
        this.proxy.pass();
        List<CompletableFuture<Long>> free = increments(3);
        assertThat(free.get(2)).succeedsWithin(TIMEOUT).isEqualTo(6L);
        assertThat(held).allSatisfy((reply) -> assertThat(reply).isDone());
    }

    @Test
    void cutReplyFollowsDelayedReplies() {
        connectWithLettuce();
        this.proxy.delay(Duration.ofMillis(300), Duration.ZERO, Direction.SERVER_TO_CLIENT);
        CompletableFuture<RedisRequest> cut = this.proxy
                .cutNextReply((request) -> request.name().equals("GET"))
                .toCompletableFuture();
        List<CompletableFuture<Long>> held = increments(3);
        CompletableFuture<String> repeated = this.connection.async().get("key").toCompletableFuture();
        assertThat(cut).succeedsWithin(TIMEOUT);
        assertThat(held.get(2)).succeedsWithin(TIMEOUT).isEqualTo(3L);
        assertThat(repeated).succeedsWithin(TIMEOUT).isEqualTo("3");
        assertThat(redis.command("GET", "key")).isEqualTo("3");
    }

    @Test
    void negativeDelayIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> this.proxy.delay(Duration.ofMillis(-1), Duration.ZERO, Direction.SERVER_TO_CLIENT));
    }

    @Test
    void disconnectResetsExistingConnectionsOnly() throws IOException {
        try (RespConnection before = connect(TIMEOUT)) {
            before.call("PING");
            this.proxy.disconnect();
            assertThatIOException().isThrownBy(() -> before.call("PING"));
        }
        assertPasses();
    }

    @Test
    void cutResetsExistingAndNewConnections() throws IOException {
        try (RespConnection before = connect(TIMEOUT)) {
            before.call("PING");
            this.proxy.cut();
            assertThatIOException().isThrownBy(() -> before.call("PING"));
        }
        assertThatIOException().isThrownBy(() -> ping(TIMEOUT)).isNotInstanceOf(SocketTimeoutException.class);
        this.proxy.pass();
        assertPasses();
    }

    @Test
    void refusedPortOpensAgain() throws IOException {
        this.proxy.refuse();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> ping(TIMEOUT));
        this.proxy.pass();
        assertPasses();
    }

    @Test
    void requestsAreLostOnAConnectionHalfOpenTowardsTheServer() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            this.proxy.halfOpen(Direction.CLIENT_TO_SERVER);
            assertUnanswered(client, "INCR", "key");
            assertThat(redis.command("GET", "key")).isNull();
        }
        assertPasses();
    }

    @Test
    void repliesAreLostOnAConnectionHalfOpenTowardsTheClient() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            this.proxy.halfOpen(Direction.SERVER_TO_CLIENT);
            assertUnanswered(client, () -> "1".equals(redis.command("GET", "key")), "INCR", "key");
        }
        assertPasses();
    }

    @Test
    void halfOpenConnectionStaysUnresponsive() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            this.proxy.halfOpen(Direction.SERVER_TO_CLIENT);
            this.proxy.pass();
            assertUnanswered(client, "PING");
        }
        assertPasses();
    }

    @Test
    void blackHoleAcceptsNewConnections() throws IOException {
        this.proxy.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        try (RespConnection client = connect(TIMEOUT)) {
            assertUnanswered(client, "PING");
        }
        this.proxy.pass();
        assertPasses();
    }

    @Test
    void newConnectionsAreUnresponsiveWhileExistingOnesWork() throws IOException {
        try (RespConnection old = connect(TIMEOUT)) {
            old.call("PING");
            this.proxy.blackHoleNew(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
            try (RespConnection client = connect(TIMEOUT)) {
                assertUnanswered(client, "PING");
            }
            assertThat(old.call("PING")).isEqualTo("PONG");
        }
        this.proxy.pass();
        assertPasses();
    }

    @Test
    void cutReplyBelongsToAnExecutedRequest() throws IOException {
        CompletableFuture<RedisRequest> cut = this.proxy
                .cutNextReply((request) -> request.name().equals("INCR"))
                .toCompletableFuture();
        try (RespConnection client = connect(TIMEOUT)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThatIOException()
                    .isThrownBy(() -> client.call("INCR", "key"))
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        assertThat(cut)
                .succeedsWithin(TIMEOUT)
                .satisfies((request) -> assertThat(request.arguments()).containsExactly("key"));
        assertThat(redis.command("GET", "key")).isEqualTo("1");
        try (RespConnection client = connect(TIMEOUT)) {
            assertThat(client.call("INCR", "key")).isEqualTo(2L);
        }
    }

    @Test
    void pendingCutIsCancelled() {
        CompletableFuture<RedisRequest> cut =
                this.proxy.cutNextReply(RedisRequest::isScript).toCompletableFuture();
        this.proxy.pass();
        assertThat(cut).isCancelled();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(cut::join);
    }

    @Test
    void repeatedRequestIsExecutedTwice() {
        connectWithLettuce();
        this.proxy.cutFirstReplies((request) -> request.name().equals("INCR"));
        for (int calls = 1; calls <= 3; calls++) {
            assertThat(this.connection.sync().incr("key")).isEqualTo(2L * calls);
        }
    }

    @Test
    void serverMayBeRestarted() throws IOException {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy front = FaultProxy.inFrontOf(server)) {
            try (RespConnection client = new RespConnection(front.port(), TIMEOUT)) {
                client.call("PING");
                server.kill();
                assertThatIOException()
                        .isThrownBy(() -> client.call("PING"))
                        .isNotInstanceOf(SocketTimeoutException.class);
            }
            server.restart();
            try (RespConnection client = new RespConnection(front.port(), TIMEOUT)) {
                assertThat(client.call("PING")).isEqualTo("PONG");
            }
        }
    }

    @Tag("long")
    @Tag("core")
    @Test
    void faultsDoNotAffectReplicas() throws IOException {
        redis.command("SET", "early", "0123456789\r\n".repeat(1 << 16));
        try (RedisServerProcess replica = RedisServerProcess.builder()
                .setting("replicaof", this.proxy.host(), Integer.toString(this.proxy.port()))
                .start()) {
            await().until(() -> "up".equals(replica.info("replication").get("master_link_status")));
            assertThat(this.proxy.openConnections()).isZero();

            this.proxy.delay(Duration.ofHours(1), Duration.ZERO, Direction.values());
            this.proxy.halfOpen(Direction.values());
            this.proxy.cut();
            this.proxy.refuse();
            redis.command("SET", "late", "value");

            await().until(() -> "value".equals(replica.command("GET", "late")));
            assertThat(replica.command("STRLEN", "early")).isEqualTo(12L << 16);
            assertThat(replica.log()).containsOnlyOnce("MASTER <-> REPLICA sync: Finished with success");
            this.proxy.close();
            await().until(() -> "down".equals(replica.info("replication").get("master_link_status")));
        }
    }

    @Test
    void closeEndsConnectionsAndThreads() throws IOException {
        try (RespConnection client = connect(TIMEOUT)) {
            client.call("PING");
            this.proxy.delay(Duration.ofHours(1));
            this.proxy.close();
            assertThatIOException().isThrownBy(() -> client.call("PING"));
        }
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch((thread) -> thread.getName().startsWith("fault-proxy-")));
    }

    private void assertUnanswered(RespConnection client, String... command) throws IOException {
        long before = this.proxy.traffic().requests();
        assertUnanswered(client, () -> this.proxy.traffic().requests() > before, command);
    }

    /** The request arrives. It has no reply when a later one of another connection has its reply, and fails when its connection ends. */
    private static void assertUnanswered(RespConnection client, Callable<Boolean> arrived, String... command)
            throws IOException {
        CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> {
            try {
                return client.call(command);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        });
        await().until(arrived);
        assertThat(redis.command("PING")).isEqualTo("PONG");
        assertThat(reply).isNotDone();
        client.close();
        assertThat(reply).failsWithin(TIMEOUT);
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return new RespConnection(this.proxy.port(), timeout);
    }

    private Object ping(Duration timeout) throws IOException {
        try (RespConnection client = connect(timeout)) {
            return client.call("PING");
        }
    }

    private void assertPasses() throws IOException {
        assertThat(ping(TIMEOUT)).isEqualTo("PONG");
    }

    private List<CompletableFuture<Long>> increments(int count) {
        return Stream.generate(() -> this.connection.async().incr("key").toCompletableFuture())
                .limit(count)
                .toList();
    }

    private void connectWithLettuce() {
        this.connection = lettuce().connect();
    }

    private RedisClient lettuce() {
        this.lettuce = RedisClient.create(RedisURI.create(this.proxy.host(), this.proxy.port()));
        return this.lettuce;
    }
}
