package io.delayqueue.redis;

import static io.delayqueue.redis.DurableCallsTests.increment;
import static io.delayqueue.redis.DurableCallsTests.unconfirmed;
import static io.delayqueue.redis.OwnConnections.script;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls whose writes must be on the disks of a master and its replica. Skipped on servers without {@code WAITAOF}. */
@Timeout(60)
class FsyncedCallsTests {

    private static final Durability MASTER = Durability.fsynced(0, Duration.ofSeconds(20));
    private static final Durability MASTER_SOON = Durability.fsynced(0, Duration.ofMillis(100));
    private static final Durability BOTH = Durability.fsynced(1, Duration.ofSeconds(20));
    private static final Durability BOTH_SOON = Durability.fsynced(1, Duration.ofMillis(100));
    private static final LuaScript READ = script("read", "return {redis.call('GET', KEYS[1])}");
    private static final byte[] KEY = RedisScriptsTests.KEY;

    private static RedisServerProcess master;
    private static RedisServerProcess replica;

    private OwnConnections own;

    @BeforeAll
    static void startServers() {
        master = RedisServerProcess.builder()
                .setting("appendonly", "yes")
                .setting("repl-diskless-sync-delay", "0")
                .start();
        assumeThat(DurableCallsTests.hasWaitAof(master))
                .as("WAITAOF exists from Redis 7.2 on")
                .isTrue();
        replica = RedisServerProcess.builder()
                .setting("appendonly", "yes")
                .setting("replicaof", master.host(), Integer.toString(master.port()))
                .start();
    }

    @AfterAll
    static void stopServers() {
        if (replica != null) {
            replica.close();
        }
        master.close();
    }

    @BeforeEach
    void connect() {
        master.flush();
        await().until(() -> master.info("replication").toString().contains("state=online"));
        own = OwnConnections.lettuce(master.port());
    }

    @AfterEach
    void close() throws Exception {
        own.close();
        master.command("CONFIG", "SET", "appendfsync", "everysec");
        replica.command("CONFIG", "SET", "appendfsync", "everysec");
    }

    private List<Object> run(ScriptCall call) {
        return Await.call(() -> own.scripts().run(call));
    }

    private static void assertUnconfirmed(List<Object> reply, String message) {
        assertThat(unconfirmed(reply).kind()).isEqualTo(Kind.NOT_CONFIRMED);
        assertThat(unconfirmed(reply)).hasMessage(message);
    }

    @Test
    void confirmedWriteIsReadFromTheFileOfTheReplicaAfterBothWereKilled() {
        for (long i = 1; i <= 3; i++) {
            assertThat(run(increment(BOTH))).containsExactly(i, null);
        }

        master.kill();
        replica.kill();
        replica.restart();

        assertThat(replica.command("GET", new String(KEY, UTF_8))).isEqualTo("3");
        master.restart();
        assertThat(master.command("GET", new String(KEY, UTF_8))).isEqualTo("3");
    }

    /** The master writes to its file, but leaves it to the operating system when this reaches the disk. */
    @Test
    void writeThatMayNotBeOnTheDiskOfTheMasterIsNotConfirmed() {
        master.command("CONFIG", "SET", "appendfsync", "no");

        List<Object> reply = run(increment(MASTER_SOON));

        assertThat(reply.get(0)).isEqualTo(1L);
        assertUnconfirmed(reply, "0 of 0 replicas and not the master had it on disk within 100 ms");
        master.command("CONFIG", "SET", "appendfsync", "everysec");
        assertThat(run(increment(MASTER))).containsExactly(2L, null);
    }

    @Test
    void replicaThatMayNotHaveTheWriteOnDiskIsNotCounted() {
        replica.command("CONFIG", "SET", "appendfsync", "no");

        assertThat(run(increment(DurableCallsTests.ONE_REPLICA))).containsExactly(1L, null);
        assertThat(run(increment(MASTER))).containsExactly(2L, null);
        assertThat(unconfirmed(run(increment(BOTH_SOON))))
                .hasMessageMatching("0 of 1 replicas( and not the master)? had it on disk within 100 ms");

        replica.command("CONFIG", "SET", "appendfsync", "everysec");
        assertThat(run(increment(BOTH))).containsExactly(4L, null);
    }

    /** As when a send is repeated that was stored but not confirmed. */
    @Test
    void scriptThatWritesNothingIsConfirmedWithTheWritesBeforeIt() throws Exception {
        master.command("CONFIG", "SET", "appendfsync", "no");
        run(increment(Durability.NONE));
        own.close();
        own = OwnConnections.lettuce(master.port());

        assertThat(unconfirmed(run(new ScriptCall(READ, KEY).durability(MASTER_SOON))))
                .isNotNull();

        master.command("CONFIG", "SET", "appendfsync", "everysec");
        assertThat(unconfirmed(run(new ScriptCall(READ, KEY).durability(MASTER))))
                .isNull();
    }
}
