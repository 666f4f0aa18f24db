package io.delayqueue.admin;

import static io.delayqueue.listener.ListenerStatusBuilder.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.RegisteredLimits;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When messages and schedules are read, and what a forecast is made of. The number of handlers is tested apart. */
class HandlerForecastsTests extends RedisTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private DelayQueueSchedules schedules;
    private DelayQueueInspector inspector;
    private HandlerForecasts forecasts;
    private long nanos;

    @Override
    protected ShardPlan plan() {
        return new ShardPlan(Map.of("sharded", 3), ShardPlan.OnConflict.FAIL);
    }

    @BeforeEach
    void assemble() {
        schedules = queue.schedules();
        inspector = queue.inspector();
        forecasts = new HandlerForecasts(
                inspector,
                schedules,
                topic -> topic.equals("patient") ? Duration.ofMinutes(10) : HandlerForecasts.DEFAULT_MAX_LATENESS,
                Runnable::run,
                () -> nanos);
    }

    private void send(String topic, int count, Duration delay) {
        IntStream.range(0, count)
                .forEach(i -> queue.template()
                        .send(DelayMessage.to(topic).payload("p").delay(delay).build()));
    }

    private static ListenerStatus busy(String topic, int attempts, Duration handling) {
        return listener("l", topic)
                .handlers(1, 8)
                .attempts(new Attempts(attempts, 0, 0, handling, null, Duration.ZERO, null))
                .build();
    }

    private static NodeStatus node(ListenerStatus... listeners) {
        return new NodeStatus(
                "n", "h", 42, Instant.EPOCH, Instant.EPOCH, List.of(), new TreeMap<>(), List.of(listeners));
    }

    private void sample(NodeStatus... nodes) {
        forecasts.sampled(
                Await.result(inspector.snapshot()).topics(), new Nodes(Instant.EPOCH, List.of(nodes), List.of()));
        await().until(() -> !queue.isCalling());
    }

    private void sampleAfter(Duration time, NodeStatus... nodes) {
        nanos += time.toNanos();
        sample(nodes);
    }

    @Test
    void backlogAndUpcomingMessagesNeedHandlersWithinTheirLateness() {
        send("t", 120, Duration.ZERO);
        send("patient", 120, Duration.ZERO);
        send("t", 70, Duration.ofMinutes(90));

        sample(node(busy("t", 10, SECOND), busy("patient", 10, SECOND)), node(busy("t", 30, Duration.ofSeconds(5))));

        HandlerForecast forecast = forecasts.of("t");
        assertThat(forecast.mean()).isEqualTo(Duration.ofSeconds(4));
        assertThat(forecast.required()).as("120 messages x 4 s in a minute").isEqualTo(8);
        assertThat(forecast.peak()).isEqualTo(8);
        assertThat(forecast.peakAt()).isEqualTo(forecast.at());
        assertThat(forecast.present()).isEqualTo(16);
        assertThat(forecast.withoutSchedules()).isFalse();
        assertThat(forecast.emptyAt()).isNull();
        assertThat(forecasts.of("patient").required()).isEqualTo(1);
    }

    @Test
    void laterPeakIsNotRequiredYet() {
        send("t", 100, Duration.ofMinutes(90));

        sample(node(busy("t", 1, Duration.ofMinutes(10))));

        HandlerForecast forecast = forecasts.of("t");
        assertThat(forecast.peak()).as("1000 minutes in the second hour").isEqualTo(17);
        assertThat(forecast.peakAt()).isEqualTo(forecast.at().plus(Duration.ofHours(1)));
        assertThat(forecast.required()).as("1000 minutes in two hours").isEqualTo(9);
    }

    @Test
    void withoutAMeanThereIsNoNumber() {
        send("t", 1, Duration.ZERO);
        sample(node(listener("l", "t").build()));
        assertThat(forecasts.of("t").required()).isNull();
        assertThat(forecasts.of("t").peak()).isNull();
        assertThat(forecasts.of("t").mean()).isNull();

        sample(node(busy("t", 1, SECOND)));
        assertThat(forecasts.of("t").required()).isEqualTo(1);
        sample(node(listener("l", "t").build()));
        assertThat(forecasts.of("t").mean()).as("of an idle topic").isEqualTo(SECOND);
    }

    @Test
    void fastHandlersAreNeededToo() {
        send("t", 1, Duration.ZERO);
        sample(node(busy("t", 10, Duration.ZERO)));
        assertThat(forecasts.of("t").mean()).isEqualTo(Duration.ofMillis(1));
        assertThat(forecasts.of("t").required()).isEqualTo(1);
    }

    @Test
    void handlersOfRunningListenersAreThere() {
        send("t", 1, Duration.ZERO);
        sample(
                node(
                        listener("a", "t").handlers(0, 3).build(),
                        listener("b", "t").handlers(0, 5).state(State.PAUSED).build(),
                        listener("c", "t")
                                .handlers(0, 7)
                                .kind(QueueKind.NOTIFICATIONS)
                                .build()),
                node(listener("a", "t").handlers(0, 4).build()));
        assertThat(forecasts.of("t").present()).isEqualTo(7);
    }

    @Test
    void limitsOfTheTopic() {
        Await.result(queue.topics.shards("t"));
        send("t", 120, Duration.ZERO);
        TopicLimits limits = new TopicLimits(2, new Rate(1, SECOND, 1), null);
        List<TopicStatus> topics = Await.result(inspector.snapshot()).topics().stream()
                .map(topic -> new TopicStatus(
                        topic.topic(),
                        1,
                        topic.counts(),
                        List.of(),
                        List.of(),
                        false,
                        List.of(),
                        null,
                        LimitStatus.of(new RegisteredLimits(limits, null), List.of()),
                        List.of()))
                .toList();
        forecasts.sampled(
                topics, new Nodes(Instant.EPOCH, List.of(node(busy("t", 1, Duration.ofHours(1)))), List.of()));
        await().until(() -> !queue.isCalling());

        HandlerForecast forecast = forecasts.of("t");
        assertThat(forecast.required()).isEqualTo(2);
        assertThat(forecast.emptyAt()).isEqualTo(forecast.at().plusSeconds(120));
    }

    @Test
    void messagesAreCountedEachMinuteWithUpToThreeCallsForEachShard() {
        send("t", 1, Duration.ofMinutes(4));
        int calls = callsOfASample(Duration.ZERO);
        assertThat(calls).as("all are due within five minutes").isEqualTo(1);
        assertThat(callsOfASample(HandlerForecasts.INTERVAL.minusNanos(1))).isZero();
        assertThat(callsOfASample(Duration.ofNanos(1))).isEqualTo(1);

        send("t", 1, Duration.ofMinutes(6));
        assertThat(callsOfASample(HandlerForecasts.INTERVAL)).isEqualTo(2);
        send("t", 1, Duration.ofDays(2));
        assertThat(callsOfASample(HandlerForecasts.INTERVAL)).isEqualTo(3);
        send("sharded", 50, Duration.ofDays(2));
        assertThat(callsOfASample(Duration.ZERO))
                .as("a new topic with three shards")
                .isEqualTo(9);
        assertThat(callsOfASample(HandlerForecasts.INTERVAL)).isEqualTo(3 + 9);
    }

    @Test
    void readingsCostFewCommands() {
        send("t", 1, Duration.ofDays(2));
        assertThat(commandsOfASample()).as("three calls for a shard").isBetween(60L, 80L);
        for (int i = 0; i < 100; i++) {
            schedules.put(
                    Schedule.of("sync", "shop-" + i).every(Duration.ofDays(2)).payload("p"));
        }
        nanos += HandlerForecasts.SCHEDULES_INTERVAL.toNanos();
        assertThat(commandsOfASample()).as("two topics and 100 schedules").isBetween(700L, 160L + 720);
    }

    private long commandsOfASample() {
        List<TopicStatus> topics = Await.result(inspector.snapshot()).topics();
        long before = commands();
        forecasts.sampled(topics, new Nodes(Instant.EPOCH, List.of(), List.of()));
        await().until(() -> !queue.isCalling());
        return commands() - before;
    }

    /** The number of commands that were run, also by scripts. */
    private static long commands() {
        return server.info("commandstats").entrySet().stream()
                .filter(command -> !command.getKey().contains("info"))
                .mapToLong(command -> Long.parseLong(command.getValue().split("[=,]", -1)[1]))
                .sum();
    }

    @Test
    void topicsWithoutMessagesNeedNoHandlerAndCostNoCall() {
        queue.open("t");
        NodeStatus node = node(busy("t", 1, SECOND));
        List<TopicStatus> topics = Await.result(inspector.snapshot()).topics();
        int calls = queue.calls();
        forecasts.sampled(topics, new Nodes(Instant.EPOCH, List.of(node), List.of()));
        assertThat(queue.calls()).isEqualTo(calls);
        assertThat(forecasts.of("t").required()).isZero();
        assertThat(forecasts.of("t").peak()).isZero();
        assertThat(forecasts.of("absent").required()).isNull();
    }

    private int callsOfASample(Duration after) {
        nanos += after.toNanos();
        List<TopicStatus> topics = Await.result(inspector.snapshot()).topics();
        int before = queue.calls();
        forecasts.sampled(topics, new Nodes(Instant.EPOCH, List.of(), List.of()));
        await().until(() -> !queue.isCalling());
        return queue.calls() - before;
    }

    @Test
    void laterOccurrencesOfSchedulesAreAdded() {
        for (int i = 0; i < 60; i++) {
            schedules.put(Schedule.of("sync", "shop-" + i)
                    .every(Duration.ofMinutes(1))
                    .payload("p"));
        }
        NodeStatus node = node(busy("sync", 1, Duration.ofMinutes(2)));
        sample(node);
        sampleAfter(HandlerForecasts.INTERVAL, node);

        HandlerForecast forecast = forecasts.of("sync");
        assertThat(forecast.withoutSchedules()).isFalse();
        assertThat(forecast.peak())
                .as("60 a minute of 2 minutes each, and a part of a minute more where spans of 5 minutes begin")
                .isBetween(120, 132);

        int calls = callsOfASample(HandlerForecasts.SCHEDULES_INTERVAL
                .minus(HandlerForecasts.INTERVAL)
                .minusNanos(1));
        assertThat(calls).isEqualTo(1);
        assertThat(callsOfASample(Duration.ofNanos(1))).as("the schedules").isEqualTo(1);
    }

    @Test
    void tooManySchedulesAreMissing() {
        for (int i = 0; i <= Occurrences.MAX_SCHEDULES; i++) {
            schedules.put(
                    Schedule.of("sync", "shop-" + i).every(Duration.ofDays(1)).payload("p"));
        }
        NodeStatus node = node(busy("sync", 1, SECOND));
        sample(node);
        assertThat(forecasts.of("sync").withoutSchedules()).isTrue();
        assertThat(forecasts.of("sync").required()).isNotNull();

        schedules.remove("sync", "shop-0");
        sampleAfter(HandlerForecasts.SCHEDULES_INTERVAL, node);
        sampleAfter(HandlerForecasts.INTERVAL, node);
        assertThat(forecasts.of("sync").withoutSchedules()).isFalse();
    }
}
