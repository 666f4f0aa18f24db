package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole nodes on a Redis whose clock is set while they run, and leases of different lengths. */
@EmbeddedRedis
class ServerClockTests extends NodeTest {

    private static final Duration SWEEP = Duration.ofSeconds(1);
    /** Less than the time until a lease is renewed. */
    private static final Duration STEP = EngineSettings.DEFAULTS.sweep();

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final ListenerOptions SHORT =
            ListenerOptions.DEFAULTS.toBuilder().lease(LEASE).build();

    private final Map<String, Queue<Delivery>> handled = new ConcurrentHashMap<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private ServerClock clock;
    private MovableTime time;
    private FaultProxy network;

    ServerClockTests(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void start() {
        clock = new ServerClock(redis);
        time = new MovableTime(clock);
        network = FaultProxy.inFrontOf(redis);
    }

    @AfterEach
    void stopAndCheck() throws Exception {
        release.countDown();
        network.pass();
        stopNodes();
        nodes.clear();
        network.close();
        assertThat(wrong).isEmpty();
    }

    private QueueNode node(int port) {
        return add(QueueNode.on(port)
                .scripts(clock::over)
                .settings(Pacing.builtIn().sweep(SWEEP).heartbeat(SWEEP).settings()));
    }

    private QueueNode node() {
        return node(redis.port());
    }

    /** Checks at each start that no other handler holds the message, and that it is due. */
    private DeliveryHandler watched(DeliveryHandler handler) {
        return deliveries -> {
            for (Delivery delivery : deliveries) {
                Queue<Delivery> before = handled.computeIfAbsent(delivery.id(), id -> new ConcurrentLinkedQueue<>());
                if (before.stream().anyMatch(Delivery::held)) {
                    wrong.add(delivery.id() + " is held twice");
                }
                before.add(delivery);
                if (clock.millis() < delivery.dueAt().toEpochMilli()) {
                    wrong.add(delivery.id() + " is early");
                }
            }
            try {
                return handler.handle(deliveries);
            } finally {
                deliveries.forEach(delivery -> handled.get(delivery.id()).remove(delivery));
            }
        };
    }

    private void blocksIf(String prefix, List<Delivery> deliveries) throws InterruptedException {
        if (deliveries.get(0).id().startsWith(prefix)) {
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void listen(QueueNode node, ListenerOptions options, String blocking) {
        node.listen("t", options, watched(deliveries -> {
            blocksIf(blocking, deliveries);
            return null;
        }));
    }

    private static DelayMessage.Builder message(String id) {
        return DelayMessage.to("t").id(id).payload("");
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void clockChangeKeepsLeasesOfRunningOwnersAndFreesLeasesOfFailedOwners(long seconds) {
        ListenerOptions options = ListenerOptions.DEFAULTS;
        QueueNode failed = add(QueueNode.on(network.port()).scripts(clock::over).nanoTime(time));
        failed.template.send(message("dead").build());
        listen(failed, options.toBuilder().concurrency(1).prefetch(0).build(), "dead");
        await().until(() -> happenings.count("started dead 1") == 1);
        QueueNode one = driven();
        listen(one, options, "living");
        one.template.sendAll(Stream.of(
                        message("living"),
                        message("living-own").lease(Duration.ofMinutes(1)),
                        message("later").delay(Duration.ofMinutes(30)))
                .map(DelayMessage.Builder::build)
                .toList());
        await().until(() -> happenings.count("started living") == 2);

        network.refuse();
        network.disconnect();
        // a third of the lease is left, and after the change Redis reclaims nothing for this time
        time.pass(options.lease().multipliedBy(2).dividedBy(3), STEP);
        clock.advance(Duration.ofSeconds(seconds));
        QueueNode late = driven();
        listen(late, options, "living");
        late.template.send(message("after").build());

        awaitWhileTimePasses("acknowledged after");
        if (seconds > 0) {
            awaitWhileTimePasses("acknowledged later");
        }
        awaitWhileTimePasses("acknowledged dead 1");
        assertThat(handled.get("living")).singleElement().matches(Delivery::held);
        assertThat(handled.get("living-own")).singleElement().matches(Delivery::held);
        release.countDown();
        awaitWhileTimePasses("acknowledged living 1");
        awaitWhileTimePasses("acknowledged living-own 1");
        assertThat(happenings.of("started living")).hasSize(2);
        assertThat(happenings.of("reclaimed")).containsExactly("reclaimed dead");
        assertThat(happenings.count("started later")).isEqualTo(seconds > 0 ? 1 : 0);
    }

    private QueueNode driven() {
        return add(QueueNode.on(redis.port()).scripts(clock::over).time(time));
    }

    private void awaitWhileTimePasses(String happening) {
        time.passUntil(STEP, () -> happenings.count(happening) == 1);
    }

    /** Two applications with different leases, messages with their own leases, handlers that extend, and a network that stalls. */
    @Test
    @Tag("long")
    @Tag("core")
    void leasesOfAllLengthsHoldUnderLoadAndStallsWhileTheClockIsSet() throws Exception {
        int messages = 8000;
        int settings = 200;
        QueueNode steady = node();
        QueueNode stalling = node(network.port());
        ListenerOptions longer = SHORT.toBuilder().lease(Duration.ofSeconds(10)).build();
        CountDownLatch extended = new CountDownLatch(1);
        DeliveryHandler handler = watched(deliveries -> {
            Delivery delivery = deliveries.get(0);
            int number = Integer.parseInt(delivery.id());
            if (number % 20 == 0) {
                Duration time = Duration.ofSeconds(3 + number % 30);
                if (delivery.acknowledgement().extend(time).get(60, TimeUnit.SECONDS)) {
                    extended.countDown();
                } else {
                    wrong.add(number + " could not be extended");
                }
            }
            // sometimes longer than the shortest lease, once longer than the time without reclaiming after a gap
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(number == 30 ? 4000 : number % 100 == 7 ? 3500 : 5));
            return null;
        });
        steady.listen("t", SHORT, handler);
        stalling.listen("t", longer, handler);
        steady.template.sendAll(IntStream.range(0, messages)
                .mapToObj(number -> own(message("" + number), number).build())
                .toList());
        for (int i = 0; i < settings; i++) {
            Duration ahead = List.of(
                            Duration.ofHours(-1), Duration.ofSeconds(4), Duration.ofHours(1), Duration.ofMillis(-2500))
                    .get(i % 4);
            clock.setAhead(ahead);
            network.delay(Duration.ofMillis(i % 2 == 0 ? 100 : 0));
            int settled = i;
            await().until(() -> happenings.count("acknowledged") >= messages * (settled + 1) / (settings + 1));
        }
        clock.setAhead(Duration.ofHours(2));
        network.delay(Duration.ZERO);
        await().until(() -> happenings.count("acknowledged") >= messages);
        assertThat(extended.getCount()).isZero();
        assertThat(happenings.of("acknowledged")).hasSize(messages).allMatch(line -> line.endsWith(" 1"));
        assertThat(happenings.of("reclaimed")).isEmpty();
    }

    private static DelayMessage.Builder own(DelayMessage.Builder message, int number) {
        DelayMessage.Builder due = message.dueAt(Instant.EPOCH.plusMillis(number)); // due for any setting of the clock
        return number % 3 == 0 ? due.lease(Duration.ofSeconds(3 + number % 60)) : due;
    }
}
