package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole nodes on a Redis whose clock is set while they run, and leases of different lengths. */
class ServerClockTests extends NodeTest {

    private final Queue<Delivery> living = new ConcurrentLinkedQueue<>();
    private final FaultProxy network;

    ServerClockTests(RedisServerProcess redis) {
        super(redis);
        network = FaultProxy.inFrontOf(redis);
    }

    @AfterEach
    void close() {
        release.countDown();
        network.pass();
        stopNodes();
        network.close();
    }

    private void listen(QueueNode node, ListenerOptions options, String blocking) {
        node.listen("t", options, deliveries -> {
            Delivery delivery = deliveries.get(0);
            if (delivery.id().startsWith("living")) {
                living.add(delivery);
            }
            if (delivery.id().startsWith(blocking)) {
                assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void clockChangeKeepsLeasesOfRunningOwnersAndFreesLeasesOfFailedOwners(long seconds) {
        ListenerOptions options = ListenerOptions.DEFAULTS;
        QueueNode failed = add(QueueNode.on(network.port()).scripts(clock::over).nanoTime(time));
        failed.template.send(message("t", "dead"));
        listen(failed, options.toBuilder().concurrency(1).prefetch(0).build(), "dead");
        await().until(() -> happenings.count("started dead 1") == 1);
        QueueNode one = add(driven());
        listen(one, options, "living");
        one.template.sendAll(List.of(
                message("t", "living"),
                message("t", "living-own").toBuilder()
                        .lease(Duration.ofMinutes(1))
                        .build(),
                message("t", "later").toBuilder().delay(Duration.ofMinutes(30)).build()));
        await().until(() -> happenings.count("started living") == 2);

        network.refuse();
        network.disconnect();
        // a third of the lease is left, and after the change Redis reclaims nothing for this time
        time.pass(options.lease().multipliedBy(2).dividedBy(3), STEP);
        clock.advance(Duration.ofSeconds(seconds));
        QueueNode late = add(driven());
        listen(late, options, "living");
        late.template.send(message("t", "after"));

        awaitWhileTimePasses("acknowledged after", 1);
        if (seconds > 0) {
            awaitWhileTimePasses("acknowledged later", 1);
        }
        awaitWhileTimePasses("acknowledged dead 1", 1);
        assertThat(living).hasSize(2).allMatch(Delivery::held);
        release.countDown();
        awaitWhileTimePasses("acknowledged living 1", 1);
        awaitWhileTimePasses("acknowledged living-own 1", 1);
        assertThat(happenings.of("reclaimed")).containsExactly("reclaimed dead");
        assertThat(happenings.count("started later")).isEqualTo(seconds > 0 ? 1 : 0);
    }
}
