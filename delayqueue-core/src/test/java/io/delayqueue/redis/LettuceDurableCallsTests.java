package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.script;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LettuceDurableCallsTests extends DurableCallsContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.lettuce(port);
    }

    /** A call that waits for the confirmation of the replica, which is paused. */
    private CompletableFuture<List<Object>> unconfirmedCall() {
        replica.pause();
        CompletableFuture<List<Object>> call = own.scripts().run(increment(ONE_REPLICA));
        await().until(() -> master.info("clients").get("blocked_clients").equals("1"));
        return call;
    }

    @Test
    void concurrentCallsShareAConfirmation() {
        CompletableFuture<List<Object>> first = unconfirmedCall();
        List<CompletableFuture<List<Object>>> others = IntStream.range(0, 40)
                .mapToObj(i -> own.scripts().run(increment(ONE_REPLICA)))
                .toList();
        replica.resume();

        assertThat(first.join()).containsExactly(1L, null);
        assertThat(others)
                .allSatisfy(other -> assertThat(unconfirmed(other.join())).isNull());
        assertThat(master.info("commandstats").get("cmdstat_wait")).startsWith("calls=2,");
    }

    @Test
    void otherCallsAreNotDelayed() {
        CompletableFuture<List<Object>> durable = unconfirmedCall();

        assertThat(run(increment(Durability.NONE))).containsExactly(2L);

        assertThat(durable).isNotDone();
        replica.resume();
        assertThat(durable.join()).containsExactly(1L, null);
    }

    @Test
    void callWithoutAThreadIsNotSent() {
        own.executor().shutdown();

        RedisCallException failure = catchThrowableOfType(RedisCallException.class, () -> run(increment(ONE_REPLICA)));

        assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
    }

    @Test
    void callThatWaitsWhenTheConnectionsAreClosedIsNotSent() {
        CompletableFuture<List<Object>> first = unconfirmedCall();
        CompletableFuture<List<Object>> second = own.scripts().run(increment(ONE_REPLICA));

        own.connections().close();
        replica.resume();

        await().until(() -> first.isDone() && second.isDone());
        assertThatThrownBy(second::join)
                .cause()
                .isInstanceOfSatisfying(
                        RedisCallException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_SENT));
        assertThat(master.command("GET", new String(KEY, UTF_8))).isEqualTo("1");
        await().until(() -> network.openConnections() == 0);
    }

    @Test
    void largeCallsAreSentInSeveralGroups() {
        LuaScript length = script("length", "return {#ARGV[1]}");
        byte[] large = new byte[2 << 20];
        CompletableFuture<List<Object>> first = unconfirmedCall();
        List<CompletableFuture<List<Object>>> others = IntStream.range(0, 6)
                .mapToObj(i ->
                        own.scripts().run(new ScriptCall(length, KEY).add(large).durability(ONE_REPLICA)))
                .toList();
        replica.resume();

        assertThat(first.join()).containsExactly(1L, null);
        assertThat(others).allSatisfy(other -> assertThat(other.join()).containsExactly((long) large.length, null));
        assertThat(master.info("commandstats").get("cmdstat_wait")).startsWith("calls=4,");
    }

    /** A cancel, for example, writes although the memory is full. */
    @Test
    void writeThatFreesMemoryIsConfirmedWhileMemoryIsFull() {
        LuaScript delete = script("delete", "redis.call('DEL', KEYS[1]) return {1}");
        run(increment(ONE_REPLICA));
        master.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(run(new ScriptCall(delete, KEY).durability(ONE_REPLICA))).containsExactly(1L, null);
        assertThat(replica.command("EXISTS", new String(KEY, UTF_8))).isEqualTo(0L);
    }
}
