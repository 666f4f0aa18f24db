package io.delayqueue.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.broker.ForwardingApplication.Seen;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.DurationText;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.DelayQueueHarness;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Rules of forwarding to any broker, which starts after the application. Each test leaves the broker running. */
@Tag("long")
@Tag("forward")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ForwardContract {

    private static final Duration OUTAGE = Duration.ofSeconds(60);

    final TestBroker broker = newBroker();
    ConfigurableApplicationContext application;
    DelayQueueTemplate delayQueue;
    DelayQueueHarness harness;

    abstract TestBroker newBroker();

    /** Properties of further forwards. */
    List<String> moreProperties() {
        return List.of();
    }

    @BeforeAll
    void start() {
        List<String> properties = new ArrayList<>();
        properties.addAll(forward(0, "plain", "plain", "max-attempts=3"));
        properties.addAll(forward(1, "load", "load", "send-timeout=1s"));
        properties.addAll(forward(2, "kills", "kills", "send-timeout=2s"));
        properties.addAll(forward(3, "hang", "hang", "send-timeout=1s", "max-attempts=1"));
        properties.addAll(forward(4, "large", "large", "max-attempts=2"));
        properties.addAll(forward(5, "nowhere", TestBroker.NOWHERE, "send-timeout=1s", "max-attempts=2"));
        properties.addAll(forward(6, "late", "late", "send-timeout=1s"));
        properties.addAll(forward(7, "outage", "outage", "send-timeout=2s"));
        properties.addAll(moreProperties());
        application = ForwardingApplication.start(broker, properties);
        delayQueue = application.getBean(DelayQueueTemplate.class);
        harness = application.getBean(DelayQueueHarness.class);

        delayQueue.send(DelayMessage.to("late").id("early").payload("text").build());
        awaitUnavailable("late");
        broker.start();
        List.of("plain", "load", "kills", "hang", "large", "late", "outage").forEach(broker::create);
        harness.awaitAcknowledged("late", "early");
    }

    @AfterAll
    void stop() {
        application.close();
        broker.close();
    }

    /** Waits until the listener of a topic has met an unavailable broker, and returns the failure. */
    final String awaitUnavailable(String topic) {
        return awaitUnavailable(application, topic);
    }

    private void awaitUnavailableOr(String topic, BooleanSupplier other) {
        ManagedListener listener = application
                .getBean(DelayListenerRegistry.class)
                .getContainer("forward-" + topic)
                .orElseThrow();
        await().dontCatchUncaughtExceptions()
                .atMost(OUTAGE)
                .until(() -> listener.status().unavailable() != null || other.getAsBoolean());
    }

    static String awaitUnavailable(ConfigurableApplicationContext application, String topic) {
        ManagedListener listener = application
                .getBean(DelayListenerRegistry.class)
                .getContainer("forward-" + topic)
                .orElseThrow();
        return await().dontCatchUncaughtExceptions()
                .atMost(OUTAGE)
                .until(() -> listener.status().unavailable(), Objects::nonNull)
                .failure();
    }

    final List<String> forward(int index, String topic, String destination, String... keys) {
        String prefix = "delayqueue.forward[" + index + "].";
        List<String> properties = new ArrayList<>(List.of(
                prefix + "topic=" + topic,
                prefix + "to=" + broker.to(),
                prefix + "destination=" + destination,
                prefix + "backoff=fixed 300ms",
                prefix + "max-attempts=1000"));
        for (String key : keys) {
            properties.add(prefix + key);
        }
        return properties;
    }

    @Test
    void messageArrivesWithItsHeadersKeyAndContentType() {
        Instant due = Instant.now().plusMillis(100);
        delayQueue.send(DelayMessage.to("plain")
                .id("order-1")
                .payload(new Order("4711", "Bücher"))
                .dueAt(due)
                .header("tags", "vip")
                .header("keys", "customer-7")
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build());
        harness.awaitAcknowledged("plain", "order-1");

        Received received = only(broker.take("plain"), "order-1");
        assertThat(received.body()).isEqualTo("{\"no\":\"4711\",\"item\":\"Bücher\"}");
        assertThat(received.contentType()).isEqualTo("application/json");
        assertThat(received.headers())
                .containsEntry("tags", "vip")
                .containsEntry("keys", "customer-7")
                .containsEntry("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .containsEntry("delayqueue_id", "order-1")
                .containsEntry("delayqueue_topic", "plain")
                .containsEntry("delayqueue_attempt", "1")
                .hasEntrySatisfying(
                        "delayqueue_due",
                        each -> assertThat(Instant.parse(each)).isAfterOrEqualTo(due))
                .hasEntrySatisfying(
                        "delayqueue_sent",
                        sent -> assertThat(Instant.parse(sent)).isBefore(Instant.now()));
        assertThat(received.headers()).hasSize(8);
        checkKey(received.key());
    }

    /** Checks the key of the message with the id order-1 and the header keys customer-7. */
    abstract void checkKey(String key);

    @Test
    void messageForAMissingDestinationIsDeadLetteredWithItsCause() {
        delayQueue.send(DelayMessage.to("nowhere").id("lost").payload("text").build());

        DeadLetter deadLetter = harness.awaitDead("nowhere", "lost");
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.ATTEMPTS_SPENT);
        assertThat(deadLetter.attempts()).isEqualTo(2);
        assertThat(deadLetter.failure().message()).startsWith("Forwarding to 'nowhere' by " + broker.to());
        checkNowhere(deadLetter.failure().message());
    }

    abstract void checkNowhere(String failure);

    @Test
    void sendToAnUnresponsiveBrokerTimesOut() {
        broker.pause();
        try {
            long begun = System.nanoTime();
            delayQueue.send(DelayMessage.to("hang").id("held").payload("text").build());
            String failure = awaitUnavailable("hang");
            tell("a send with a timeout of 1 s to an unresponsive broker failed after " + since(begun));
            assertThat(failure).contains("Forwarding to 'hang' by " + broker.to());
        } finally {
            broker.resume();
        }
        harness.awaitAcknowledged("hang", "held");
        delayQueue.send(DelayMessage.to("plain").id("after").payload("text").build());
        harness.awaitAcknowledged("plain", "after");
    }

    @Test
    void messageThatFailedBeforeTheBrokerStartedArrives() {
        assertThat(only(broker.take("late"), "early").body()).isEqualTo("text");
    }

    @Test
    @Timeout(200)
    void everyIdArrivesWhenTheBrokerIsKilledUnderLoad() {
        outages("load", 1_000, 1);
    }

    @Test
    @Timeout(600)
    void everyIdArrivesWhenTheBrokerIsKilledAgainAndAgain() {
        outages("kills", 20_000, 5);
    }

    /** The length of the outage is a minute, or {@code delayqueue-test.outage}. */
    @Test
    @Timeout(900)
    void longOutageSpendsNoAttempts() {
        Duration outage = DurationText.parse(System.getProperty("delayqueue-test.outage", "1m"));
        int count = 20_000;
        Seen seen = application.getBean(Seen.class);
        seen.clear();
        broker.kill();
        delayQueue.sendAll(messages("outage", count));
        awaitUnavailable("outage");
        pass(outage.dividedBy(2));
        long commands = commands();
        pass(outage.dividedBy(2));
        long perSecond = (commands() - commands) / outage.dividedBy(2).toSeconds();
        long begun = System.nanoTime();
        broker.start();
        harness.awaitEmpty("outage");
        String took = since(begun);

        List<String> arrived = broker.take("outage").stream().map(Received::id).toList();
        tell(count + " messages, unavailable for " + outage + ": " + seen.retried.get() + " failed attempts, "
                + perSecond
                + " commands of Redis a second, drained within " + took + " after the start of the broker, "
                + (arrived.size() - count) + " duplicates");
        assertThat(new HashSet<>(arrived)).hasSize(count);
        assertThat(seen.retried).as("failed attempts: %s", seen.failures).hasValue(0);
        assertThat(application.getBean(DelayQueueAdmin.class).counts("outage").dead())
                .isZero();
        assertThat(perSecond).isLessThan(100);
    }

    /** The outage lasts for this time. */
    private static void pass(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(10)).until(() -> true);
    }

    private long commands() {
        return application.getBean(StringRedisTemplate.class).execute((RedisCallback<Long>) connection ->
                Long.valueOf(connection.serverCommands().info("stats").getProperty("total_commands_processed")));
    }

    private void outages(String topic, int count, int kills) {
        Seen seen = application.getBean(Seen.class);
        seen.clear();
        List<DelayMessage> messages = messages(topic, count);
        long begun = System.nanoTime();
        delayQueue.sendAll(messages);
        for (int kill = 1; kill <= kills; kill++) {
            int enough = count * kill / (kills + 1);
            await().dontCatchUncaughtExceptions().atMost(OUTAGE).until(() -> seen.acknowledged.size() >= enough);
            broker.kill();
            // or no message is left that meets the unavailable broker
            awaitUnavailableOr(topic, () -> seen.acknowledged.size() == count);
            broker.start();
        }
        harness.awaitEmpty(topic);
        String took = since(begun);
        await().dontCatchUncaughtExceptions().atMost(OUTAGE).until(() -> seen.acknowledged.size() >= count);

        List<String> arrived = broker.take(topic).stream().map(Received::id).toList();
        Set<String> ids = new HashSet<>(arrived);
        tell(count + " messages, " + kills + " times killed: " + took + ", " + seen.retried.get() + " failed attempts, "
                + (arrived.size() - ids.size()) + " duplicates");
        assertThat(application.getBean(DelayQueueAdmin.class).counts(topic).dead())
                .isZero();
        assertThat(ids).hasSize(count).containsAll(seen.acknowledged);
        assertThat(seen.acknowledged).hasSize(count);
    }

    /** The messages become due within two seconds, so that the broker is killed under load. */
    private static List<DelayMessage> messages(String topic, int count) {
        Instant now = Instant.now();
        return IntStream.range(0, count)
                .mapToObj(number -> DelayMessage.to(topic)
                        .id("m" + number)
                        .payload(new Order(String.valueOf(number), "book"))
                        .dueAt(now.plusMillis(2_000L * number / count))
                        .build())
                .toList();
    }

    static Received only(List<Received> received, String id) {
        List<Received> those =
                received.stream().filter(each -> each.id().equals(id)).toList();
        assertThat(those).as("messages of id " + id).isNotEmpty();
        return those.get(0);
    }

    private void tell(String what) {
        System.out.println(getClass().getSimpleName() + ": " + what);
    }

    private static String since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms";
    }

    record Order(String no, String item) {}
}
