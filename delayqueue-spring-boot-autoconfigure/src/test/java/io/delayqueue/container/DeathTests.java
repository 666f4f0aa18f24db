package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Deaths are told to whoever attends, and letters don't pile up. */
class DeathTests extends HandlingTest {

    private final Queue<String> notices = new ConcurrentLinkedQueue<>();

    DeathTests(RedisServerProcess redis) {
        super(redis);
    }

    private ListenerContainer attend(QueueNode where) {
        ListenerContainer attending = where.container("t", Lane.DEATHS, QUICK, deliveries -> {
            notices.add(deliveries.get(0).id());
            return null;
        });
        attending.start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notices") != null);
        return attending;
    }

    private void buryAll() {
        listen(QUICK, deliveries -> {
            for (Delivery delivery : deliveries) {
                assertThat(delivery.acknowledgement().bury("dies")).isNotNull();
            }
            return null;
        });
    }

    @Test
    void eachDeathIsToldOnceItsLetterExists() {
        Queue<Boolean> found = new ConcurrentLinkedQueue<>();
        node.container("t", Lane.DEATHS, QUICK, deliveries -> {
                    String letter = deliveries.get(0).id();
                    notices.add(letter);
                    found.add(
                            letters().stream().anyMatch(each -> each.letterId().equals(letter)));
                    return null;
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notices") != null);
        buryAll();
        send("a", "b");
        Awaitility.await().until(() -> notices.size() == 2);
        assertThat(found).containsOnly(true);
        assertThat(notices)
                .containsExactlyInAnyOrderElementsOf(
                        letters().stream().map(letter -> letter.letterId()).toList());
    }

    @Test
    void deathIsToldAlsoWhenTheNodeIsKilledRightAfterTheBurial() {
        attend(node).stop().join();
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            QueueNode killed = QueueNode.on(proxy.port()).start();
            proxy.cutNextReply(
                            request -> request.isScript() && request.arguments().contains("BURIED"))
                    .thenRun(proxy::refuse);
            killed.listen("t", QUICK.toBuilder().drainTime(Duration.ZERO).build(), deliveries -> {
                assertThat(deliveries.get(0).acknowledgement().bury("dies")).isNotNull();
                return null;
            });
            send("m");
            Awaitility.await().until(() -> letters().size() == 1);
            attend(node);
            Awaitility.await().until(() -> notices.size() == 1);
            killed.abandon();
            killed.close();
        }
        assertThat(notices).containsExactly(letterOf("m").letterId());
    }

    @Test
    void noticeThatFailsIsRetriedAndAtLastDropped() {
        AtomicInteger calls = new AtomicInteger();
        node.container("t", Lane.DEATHS, QUICK, deliveries -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("fails");
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notices") != null);
        buryAll();
        send("m");
        await("deathNoticeDropped " + "m@");
        assertThat(calls).hasValue(3);
        assertThat(letters()).hasSize(1);
        assertThat(happenings.of("died")).containsExactly("died m BURIED");
    }

    @Test
    void noticeThatItsListenerBuriesIsDroppedAndItIsSaid() {
        node.container("t", Lane.DEATHS, QUICK, deliveries -> {
                    assertThat(deliveries.get(0).acknowledgement().bury("enough"))
                            .isNotNull();
                    return null;
                })
                .start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notices") != null);
        buryAll();
        send("m");
        await("deathNoticeDropped m@");
        assertThat(letters()).hasSize(1);
    }

    @Test
    void attendingGoesOnAfterAFlush() {
        MovableTime time = new MovableTime();
        node.close();
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn().sweep(Duration.ofMillis(200)).settings())
                .events(happenings)
                .nanoTime(time)
                .start();
        attend(node);
        redis.command("FLUSHALL");
        time.jump(Duration.ofMinutes(2));
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notices") != null);
        buryAll();
        send("m");
        Awaitility.await().until(() -> notices.size() == 1);
    }

    @Test
    void lettersArePrunedByCountAndAgeAndItIsSaid() {
        node.close();
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn()
                        .retention(Duration.ofMillis(100), Duration.ofSeconds(60), 5)
                        .settings())
                .events(happenings)
                .start();
        buryAll();
        for (int i = 0; i < 12; i++) {
            send("m" + i);
        }
        awaitTimes("died", 12);
        Awaitility.await().until(() -> letters().size() == 5);
        String oldest = letters().get(0).letterId();
        redis.command("ZADD", "dq:{t:0.0}:dead", "XX", "1", oldest);
        Awaitility.await().until(() -> letters().size() == 4);
        Awaitility.await()
                .until(() -> happenings.of("lettersDropped").stream()
                                .mapToInt(line -> Integer.parseInt(line.split(" ", -1)[1]))
                                .sum()
                        == 8);
    }

    @Test
    void retentionGoesOnBehindATopicThatCannotBeRead() {
        node.close();
        redis.command("HSET", "dq:{foreign:0.0}:meta", "identity", "9:1:1");
        node = QueueNode.on(redis.port())
                .settings(Pacing.builtIn()
                        .retention(Duration.ofMillis(100), Duration.ofSeconds(60), 0)
                        .settings())
                .events(happenings)
                .start();
        node.listen("foreign", QUICK, deliveries -> null);
        buryAll();
        node.template.send(DelayMessage.to("t").id("m").payload("").build());
        await("lettersDropped 1");
    }
}
