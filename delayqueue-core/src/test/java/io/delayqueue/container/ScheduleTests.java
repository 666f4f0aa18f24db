package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Schedules of an application with several nodes. */
class ScheduleTests extends NodeTest {

    private static final ZoneId PARIS = ZoneId.of("Europe/Paris");
    private static final Duration SECOND = Duration.ofSeconds(1);

    ScheduleTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node(int shards) {
        return add(QueueNode.on(redis.port()).shards("sync", shards));
    }

    private static DelayQueueSchedules schedules(QueueNode node) {
        return new DelayQueueSchedules(
                node.template,
                node.registry,
                new Recurrences(node.scripts, node.keySpace, node.registry),
                InstantSource.system());
    }

    private static Schedule sync(String id) {
        return Schedule.of("sync", id).every(Duration.ofMinutes(15)).payload("p");
    }

    @Test
    void eachOccurrenceIsHandledOnceOnOneOfTheNodes() {
        Queue<Delivery> handled = new ConcurrentLinkedQueue<>();
        List<QueueNode> nodes = List.of(node(2), node(2));
        nodes.forEach(node -> node.listen("sync", ListenerOptions.DEFAULTS, deliveries -> {
            handled.addAll(deliveries);
            return null;
        }));
        DelayQueueSchedules schedules = schedules(nodes.get(0));
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> "shop-" + i).toList();
        ids.forEach(id -> schedules.put(sync(id).every(SECOND).header("tags", "vip")));

        await().until(() -> handled.size() >= 10);
        nodes.get(1).close();
        int before = handled.size();
        await().until(() -> handled.size() >= before + 5);

        assertThat(handled).allSatisfy(delivery -> {
            assertThat(delivery.slot()).isEqualTo(delivery.dueAt());
            assertThat(delivery.headers()).containsEntry("tags", "vip");
        });
        for (String id : ids) {
            List<Instant> slots = handled.stream()
                    .filter(delivery -> delivery.id().equals(id))
                    .map(Delivery::slot)
                    .toList();
            assertThat(slots).doesNotHaveDuplicates().isSorted();
        }
        ids.forEach(id -> assertThat(schedules.remove("sync", id)).isTrue());
        await().untilAsserted(() -> assertThat(IntStream.range(0, 2)
                        .mapToObj(i ->
                                nodes.get(0).registry.expectedShards("sync").get(i))
                        .map(shard -> nodes.get(0).store.count(shard).join().counts())
                        .allMatch(counts -> counts.scheduled() + counts.ready() + counts.leased() == 0))
                .isTrue());
    }

    @Test
    void schedulesOfAllShardsAreListedById() {
        DelayQueueSchedules schedules = schedules(node(3));
        assertThat(schedules.list("sync", null, 10).schedules()).isEmpty();
        IntStream.range(100, 135).forEach(i -> schedules.put(sync("s" + i)));

        List<String> ids = new ArrayList<>();
        String after = null;
        do {
            Schedule.Page page = schedules.list("sync", after, 10);
            assertThat(page.schedules()).hasSizeBetween(1, 10);
            page.schedules().forEach(schedule -> ids.add(schedule.id()));
            after = page.next();
        } while (after != null);
        assertThat(ids)
                .isEqualTo(IntStream.range(100, 135).mapToObj(i -> "s" + i).toList());
    }

    @Test
    void aScheduleIsStoredFoundPausedResumedAndRemoved() {
        QueueNode node = node(1);
        DelayQueueSchedules schedules = schedules(node);
        Schedule weekly = Schedule.of("sync", "a").cron("0 0 9 * * MON", PARIS).payload("p");

        assertThat(schedules.put(weekly).outcome()).isEqualTo(Schedule.Result.Outcome.CREATED);
        assertThat(schedules.put(weekly).outcome()).isEqualTo(Schedule.Result.Outcome.UNCHANGED);
        assertThat(schedules.put(weekly.payload("q")).outcome()).isEqualTo(Schedule.Result.Outcome.UPDATED);
        assertThat(schedules.put(weekly.payload("q").spread(SECOND)).outcome())
                .isEqualTo(Schedule.Result.Outcome.RETIMED);
        assertThat(schedules.find("sync", "a")).get().satisfies(found -> {
            assertThat(found.timing()).isEqualTo("cron 1000 Europe/Paris 0 0 9 * * MON");
            assertThat(found.occurrence()).isNotNull();
        });
        assertThat(node.template.find("sync", "a")).isPresent();
        assertThatThrownBy(() -> node.template.send(
                        DelayMessage.to("sync").id("a").payload("x").build()))
                .isInstanceOf(DuplicateMessageException.class);

        assertThat(schedules.pause("sync", "a")).isTrue();
        assertThat(node.template.find("sync", "a")).isEmpty();
        assertThat(schedules.resume("sync", "a")).isTrue();
        assertThat(schedules.remove("sync", "a")).isTrue();
        assertThat(schedules.remove("sync", "a")).isFalse();
        assertThat(schedules.pause("nowhere", "a")).isFalse();
        assertThat(schedules.find("nowhere", "a")).isEmpty();
    }

    @Test
    void invalidSchedulesAreRejected() {
        QueueNode node = node(1);
        DelayQueueSchedules schedules = schedules(node);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schedules.put(Schedule.of("sync", "a").payload("p")))
                .withMessage("Schedule a in topic sync has no timing; call cron(...) or every(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schedules.put(Schedule.of("sync", "a").every(SECOND)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schedule.of("sync", "a").cron("every monday", PARIS))
                .withMessageContaining("every monday");
        assertThatThrownBy(() -> schedules.put(sync("a").key("k")))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("registered without keys");
        node.template.send("sync", "ordinary", Duration.ofHours(1));
        node.template.send(
                DelayMessage.to("sync").id("b").payload("x").delay(SECOND).build());
        assertThatThrownBy(() -> schedules.put(sync("b"))).isInstanceOf(DuplicateMessageException.class);
    }
}
