package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.broker.ForwardingApplication.Seen;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The throughput of a forward beside that of the broker's client, which sends the same messages with the same
 * confirmations and the same number of unconfirmed messages. Rounds of both alternate. Measures, and asserts no time.
 */
@Tag("measurement")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
abstract class ThroughputContract {

    private static final String NARROW = "load";
    private static final String WIDE = "kills";
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final byte[] BODY = "x".repeat(200).getBytes(UTF_8);

    final TestBroker broker = newBroker();
    private ConfigurableApplicationContext application;

    abstract TestBroker newBroker();

    abstract BareClient bare(String destination, int concurrency) throws Exception;

    /** The concurrency of the second forward. The first one has the default. */
    abstract int wide();

    private int concurrency() {
        return container(NARROW).status().concurrency();
    }

    @BeforeAll
    void start() {
        broker.start();
        broker.create(NARROW);
        broker.create(WIDE);
        List<String> properties = new ArrayList<>();
        properties.addAll(forward(0, NARROW));
        properties.addAll(forward(1, WIDE));
        properties.add("delayqueue.forward[1].concurrency=" + wide());
        application = ForwardingApplication.start(broker, properties);
    }

    @AfterAll
    void stop() {
        application.close();
        broker.close();
    }

    private List<String> forward(int index, String topic) {
        String prefix = "delayqueue.forward[" + index + "].";
        return List.of(prefix + "topic=" + topic, prefix + "to=" + broker.to(), prefix + "destination=" + topic);
    }

    @Test
    void forwardWithDefaultsIsComparedWithTheClient() throws Exception {
        compare(NARROW, concurrency(), 10_000, 10);
    }

    @Test
    void wideForwardIsComparedWithTheClient() throws Exception {
        compare(WIDE, wide(), 50_000, 10);
    }

    /** The first half of the rounds warms up. */
    private void compare(String topic, int concurrency, int count, int rounds) throws Exception {
        double[] bare = new double[rounds];
        double[] forwarded = new double[rounds];
        int measured = rounds / 2;
        Duration ofClient = Duration.ZERO;
        Duration ofForward = Duration.ZERO;
        try (BareClient client = bare(topic, concurrency)) {
            for (int round = 0; round < rounds; round++) {
                if (round == rounds - measured) {
                    ofClient = Duration.ZERO;
                    ofForward = Duration.ZERO;
                }
                Duration begun = cpu();
                bare[round] = count / send(client, topic, concurrency, count);
                ofClient = ofClient.plus(cpu().minus(begun));
                prepare(topic, count, "r" + round + "-");
                begun = cpu();
                forwarded[round] = count / forward(topic, count);
                ofForward = ofForward.plus(cpu().minus(begun));
            }
        }
        double[] ratios = IntStream.range(rounds - measured, rounds)
                .mapToDouble(round -> forwarded[round] / bare[round])
                .sorted()
                .toArray();
        System.out.printf(
                Locale.ROOT,
                "%s, %d unconfirmed, %d messages of %d bytes a round: client %s/s, forward %s/s, ratio %.2f (%.2f to %.2f),"
                        + " CPU of this process %d and %d µs a message%n",
                getClass().getSimpleName(),
                concurrency,
                count,
                BODY.length,
                rounded(bare),
                rounded(forwarded),
                ratios[ratios.length / 2],
                ratios[0],
                ratios[ratios.length - 1],
                ofClient.toMillis() * 1_000 / count / measured,
                ofForward.toMillis() * 1_000 / count / measured);
    }

    private static String rounded(double[] rates) {
        return Arrays.toString(Arrays.stream(rates).mapToLong(Math::round).toArray());
    }

    /** Returns the seconds from the first send to the last confirm. */
    private static double send(BareClient client, String topic, int concurrency, int count) throws Exception {
        Semaphore unconfirmed = new Semaphore(concurrency);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            unconfirmed.acquire();
            client.send("m" + i, headers(topic, "m" + i), BODY, failure -> {
                if (failure != null) {
                    failed.set(failure);
                }
                unconfirmed.release();
            });
        }
        unconfirmed.acquire(concurrency);
        assertThat(failed).hasValue(null);
        return since(begun);
    }

    /** Those of a forwarded message. */
    private static Map<String, String> headers(String topic, String id) {
        Map<String, String> headers = new LinkedHashMap<>();
        String now = Instant.now().toString();
        headers.put("delayqueue_id", id);
        headers.put("delayqueue_topic", topic);
        headers.put("delayqueue_due", now);
        headers.put("delayqueue_sent", now);
        headers.put("delayqueue_attempt", "1");
        return headers;
    }

    /** Stores messages that are due, and pauses the forward. */
    private void prepare(String topic, int count, String prefix) {
        container(topic).pause();
        application
                .getBean(DelayQueueTemplate.class)
                .sendAll(IntStream.range(0, count)
                        .mapToObj(i -> DelayMessage.to(topic)
                                .id(prefix + i)
                                .payload(new String(BODY, UTF_8))
                                .build())
                        .toList());
    }

    /** Returns the seconds from the start of the forward to the last acknowledgement. */
    private double forward(String topic, int count) {
        Seen seen = application.getBean(Seen.class);
        seen.acknowledged.clear();
        seen.retried.set(0);
        long begun = System.nanoTime();
        container(topic).resume();
        await().atMost(LONGEST).pollInterval(Duration.ofMillis(2)).until(() -> seen.acknowledged.size() == count);
        double seconds = since(begun);
        assertThat(seen.retried).hasValue(0);
        return seconds;
    }

    private ManagedListener container(String topic) {
        return application
                .getBean(DelayListenerRegistry.class)
                .getContainer("forward-" + topic)
                .orElseThrow();
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static double since(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }
}
