package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.Job.State;
import io.delayqueue.admin.StoredJob.Batch;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Shard;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of one and of several nodes on one Redis. */
class DelayQueueJobsTests extends JobsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aGroupOfDeadLettersIsReplayedAndTheOthersStay(int shards) {
        JobNode node = node(shards);
        deadLetters(node, 1100, DelayQueueJobsTests::everyEleventh);
        JobRequest request = JobRequest.of(JobAction.REPLAY, "t")
                .filter(DeadLetterFilter.of(REFUSED))
                .delay(LATER)
                .by("anna");

        assertThat(node.jobs().preview(request)).isEqualTo(1000);
        Job job = ended(node, node.jobs().start(request));

        assertThat(job.state()).isEqualTo(State.FINISHED);
        assertThat(List.of(job.expected(), job.done(), job.kept())).containsExactly(1000L, 1000L, 0L);
        assertThat(job.node()).isEqualTo(node.node().name);
        assertThat(replayed).hasSize(1000);
        assertThat(counts(node).scheduled()).isEqualTo(1000);
        assertThat(counts(node).dead()).isEqualTo(100);
        assertThat(node.jobs().preview(request)).isZero();
        await().untilAsserted(() -> assertThat(audit)
                .containsExactly(
                        "anna: request to replay dead letters, t, 1000",
                        "anna: replay dead letters, finished, t, 1000"));
    }

    @Test
    void deadLettersWhoseMessageIsLiveAreKept() {
        JobNode node = node(1);
        deadLetters(node, 1000, i -> "no");
        send(node, "m0.", 500, LATER);
        send(node, "m500.", 100, LATER);

        Job job = ended(node, node.jobs().start(JobRequest.of(JobAction.REPLAY, "t")));

        assertThat(List.of(job.expected(), job.done(), job.kept())).containsExactly(1000L, 400L, 600L);
        assertThat(counts(node).dead()).isEqualTo(600);
    }

    @Test
    void deadLettersOfATimeRangeArePurged() {
        JobNode node = node(2);
        deadLetters(node, 10, i -> "old");
        Instant between = await().until(() -> node.node().directory.read().now(), now -> now.isAfter(youngest(node)));
        await().until(() -> node.node().directory.read().now().isAfter(between.plusMillis(1)));
        deadLetters(node, 20, i -> "new");

        Job purged = ended(
                node,
                node.jobs()
                        .start(JobRequest.of(JobAction.PURGE, "t")
                                .filter(new DeadLetterFilter(null, null, null, null, between))));
        assertThat(List.of(purged.expected(), purged.done())).containsExactly(10L, 10L);
        assertThat(counts(node).dead()).isEqualTo(20);

        Job rest = ended(
                node,
                node.jobs()
                        .start(JobRequest.of(JobAction.PURGE, "t")
                                .filter(new DeadLetterFilter(null, null, null, between, null))));
        assertThat(rest.done()).isEqualTo(20);
    }

    private static Instant youngest(JobNode node) {
        return DeadLetterGrouping.read(
                        node.reader(), node.node().registry.shards("t").join(), 100, DeadLetterFilter.ALL)
                .groups()
                .get(0)
                .last();
    }

    @Test
    void aJobIsStoppedBetweenTwoBatches() {
        JobNode node = node(1);
        deadLetters(node, 200, i -> "no");
        Job job = node.jobs()
                .start(JobRequest.of(JobAction.REPLAY, "t").delay(LATER).perSecond(1));
        await().until(() -> node.jobs().job(job.id()).orElseThrow().done() > 0);

        assertThat(node.jobs().stop(job.id())).get().extracting(Job::state).isEqualTo(State.STOPPED);

        await().untilAsserted(() -> {
            Job stopped = node.jobs().job(job.id()).orElseThrow();
            assertThat(stopped.state()).isEqualTo(State.STOPPED);
            assertThat(stopped.done()).isEqualTo(replayed.size()).isLessThan(200);
            assertThat(counts(node).dead()).isEqualTo(200 - stopped.done());
        });
        assertThat(node.jobs().stop(job.id())).get().extracting(Job::state).isEqualTo(State.STOPPED);
        assertThat(node.jobs().stop("nothing")).isEmpty();
    }

    /** Both nodes consider the other one failed. */
    @ParameterizedTest
    @ValueSource(strings = {"REPLAY", "PURGE"})
    void twoNodesThatRunAJobTogetherActOnEachDeadLetterOnce(JobAction action) {
        JobNode node = node(2);
        deadLetters(node, 1000, DelayQueueJobsTests::everyEleventh);
        JobTable table = new JobTable(node.node().scripts, node.node().keySpace, job -> {});
        JobRequest request = JobRequest.of(action, "t").filter(DeadLetterFilter.of(REFUSED));
        Instant now = node.node().directory.read().now();
        StoredJob job = new StoredJob(new Job("j", request, State.WAITING, 0, 0, 0, null, now, now, null), "", false);
        table.add(job);
        EventBus bus = new EventBus(List.of(events));

        CompletableFuture.allOf(IntStream.range(0, 2)
                        .mapToObj(
                                i -> CompletableFuture.runAsync(() -> runToEnd(table, job, node.work(bus), "node" + i)))
                        .toArray(CompletableFuture[]::new))
                .join();

        StoredJob ended = table.read().jobs().get(0);
        assertThat(ended.job().state()).isEqualTo(State.FINISHED);
        assertThat(counts(node).dead()).isEqualTo(91);
        if (action == JobAction.REPLAY) {
            assertThat(replayed).hasSize(909);
            assertThat(ended.job().done()).isEqualTo(909);
        }
    }

    static void runToEnd(JobTable table, StoredJob job, JobWork work, String node) {
        @Nullable StoredJob current = job;
        while (current != null && current.job().isActive()) {
            Batch batch = work.next(current, 50);
            current = table.update(
                    current, read -> read.after(batch, node, job.job().requestedAt()));
        }
    }

    @Test
    void messagesOfAMistypedTopicAreMoved() {
        JobNode node = node(1);
        send(node, "later", 60, LATER);
        send(node, "due", 60, Duration.ZERO);
        node.node()
                .template
                .send(DelayMessage.to("right")
                        .id("due7")
                        .payload("live")
                        .delay(LATER)
                        .build());
        Set<String> before =
                messages(node, "t").stream().map(DelayQueueJobsTests::fact).collect(Collectors.toSet());

        Job job = ended(node, node.jobs().start(JobRequest.move("t", "right")));

        assertThat(List.of(job.expected(), job.done(), job.kept())).containsExactly(120L, 119L, 1L);
        assertThat(messages(node, "t")).extracting(MessageSnapshot::id).containsExactly("due7");
        assertThat(messages(node, "right"))
                .extracting(DelayQueueJobsTests::fact)
                .hasSize(120)
                .filteredOn(before::contains)
                .hasSize(119);
    }

    @Test
    void aMoveIntoAFullTopicFailsAndTheOtherMessagesStay() {
        JobNode node = node(1);
        send(node, "m", 600, LATER);
        node.node()
                .template
                .send(DelayMessage.to("right").id("live").payload("live").build());
        limit(node, 300);

        Job failed = ended(node, node.jobs().start(JobRequest.move("t", "right")));

        assertThat(failed.state()).isEqualTo(State.FAILED);
        assertThat(failed.failure())
                .isEqualTo("Topic right is full: it has as many messages as its limit (max-messages) permits. The other"
                        + " messages stay in topic t. Move them when some of the target are handled, or raise its"
                        + " limit.");
        assertThat(List.of(failed.expected(), failed.done(), failed.kept())).containsExactly(600L, 299L, 201L);
        assertThat(messages(node, "right")).hasSize(300);
        assertThat(counts(node).scheduled()).isEqualTo(301);
        await().untilAsserted(
                        () -> assertThat(audit).anyMatch(line -> line.contains("move to right, failed: Topic right")));

        limit(node, 601);
        Job rest = ended(node, node.jobs().start(JobRequest.move("t", "right")));
        assertThat(List.of(rest.state(), rest.done(), rest.kept())).containsExactly(State.FINISHED, 301L, 0L);
        assertThat(messages(node, "t")).isEmpty();
    }

    private static void limit(JobNode node, int messages) {
        byte[] meta = node.node().keySpace.of(Shard.single("right")).meta();
        server.command(ShardLimits.command(new String(meta, UTF_8), messages));
    }

    private static String fact(MessageSnapshot message) {
        return message.id() + " " + message.dueAt() + " "
                + new String(message.envelope().payload(), UTF_8);
    }

    @Test
    void aTopicIsPausedAtTheStartTimeOfItsJob() {
        JobNode node = node(1);
        Instant at = node.node().directory.read().now().plusMillis(300);
        Job job = node.jobs().start(JobRequest.of(JobAction.PAUSE, "t").startAt(at));
        assertThat(job.state()).isEqualTo(State.WAITING);

        Job ended = ended(node, job);

        assertThat(ended.state()).isEqualTo(State.FINISHED);
        assertThat(ended.updatedAt()).isAfterOrEqualTo(at);
        assertThat(node.node().directory.read().pauses()).containsOnlyKeys("t");
    }

    @Test
    void aJobOnAnUnknownTopicFinishesAndDoesNothing() {
        JobNode node = node(1);
        for (JobAction action : List.of(JobAction.REPLAY, JobAction.PURGE, JobAction.RUN, JobAction.CANCEL)) {
            Job job = ended(node, node.jobs().start(JobRequest.of(action, "nothing")));
            assertThat(job.state()).isEqualTo(State.FINISHED);
            assertThat(job.done()).isZero();
        }
        assertThat(node.node().registry.topics().join()).isEmpty();
    }

    @Test
    void invalidRequestsAreRejected() {
        DelayQueueJobs jobs = node(1).jobs();
        assertThatThrownBy(() -> JobRequest.of(JobAction.PURGE, "t").delay(LATER))
                .hasMessage("delay is permitted for the action replay only, but the action is purge");
        assertThatThrownBy(() -> JobRequest.of(JobAction.CANCEL, "t").filter(DeadLetterFilter.of(REFUSED)))
                .hasMessage("filter (cause, exceptionType, shape, from, until) is permitted for the action replay or"
                        + " purge only, but the action is cancel");
        assertThatThrownBy(() -> jobs.start(JobRequest.of(JobAction.MOVE, "t")))
                .hasMessage("target is required by the action move");
        assertThatThrownBy(() -> JobRequest.move("t", "t")).hasMessage("target must be another topic, but was t");
        assertThatThrownBy(() -> JobRequest.of(JobAction.REPLAY, "t").perSecond(-1))
                .hasMessage("perSecond must be from 0 to 100000, but was -1");
        assertThatThrownBy(() -> new DeadLetterFilter(null, null, null, Instant.EPOCH.plusMillis(1), Instant.EPOCH))
                .hasMessageStartingWith("from must not be after until");
        assertThatThrownBy(() -> jobs.start(JobRequest.of(JobAction.REPLAY, "t").delay(Duration.ofDays(365_250))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max-delay");
        assertThatThrownBy(() -> jobs.start(JobRequest.of(JobAction.REPLAY, "t").startAt(Instant.EPOCH)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("startAt must be between 2000 and 9999");
        assertThat(jobs.jobs()).isEmpty();
    }

    @Test
    void aHundredAndFirstActiveJobIsRejected() {
        DelayQueueJobs jobs = node(1).jobs();
        Instant at = nodes.get(0).directory.read().now().plus(LATER);
        List<Job> started = IntStream.range(0, DelayQueueJobs.MAX_ACTIVE)
                .mapToObj(i -> jobs.start(JobRequest.of(JobAction.PAUSE, "t").startAt(at)))
                .toList();
        assertThatThrownBy(() -> jobs.start(JobRequest.of(JobAction.RESUME, "t")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("100 jobs wait or run. Wait for one of them, or stop it.");
        jobs.stop(started.get(0).id());
        assertThat(ended(new JobNode(nodes.get(0), null, jobs), jobs.start(JobRequest.of(JobAction.RESUME, "t"))))
                .isNotNull();
        assertThat(jobs.jobs())
                .hasSize(101)
                .isSortedAccordingTo((one, other) -> other.requestedAt().compareTo(one.requestedAt()));
    }
}
