package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.Job.State;
import io.delayqueue.admin.StoredJob.Batch;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.container.MovableTime;
import io.delayqueue.container.Pacing;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs while nodes, Redis and other clients fail. */
class JobFaultTests extends JobsTest {

    private static final EngineSettings FAST =
            Pacing.builtIn().heartbeat(Duration.ofMillis(100)).settings();

    private final MovableTime time = new MovableTime();

    /** Awaits the end of a job that is retried after a second of the movable time. */
    private Job endedAfterRetry(JobNode node, Job job) {
        time.passUntil(
                Duration.ofSeconds(1),
                () -> !node.jobs().job(job.id()).orElseThrow().isActive());
        return node.jobs().job(job.id()).orElseThrow();
    }

    private static Instant now(JobNode node) {
        return node.node().directory.read().now();
    }

    private static String key(byte[] key) {
        return new String(key, UTF_8);
    }

    private String deadKey(JobNode node, String topic) {
        return key(node.node()
                .keySpace
                .of(node.node().registry.shards(topic).join().get(0))
                .dead());
    }

    private void add(JobNode node, String id, String entry) {
        server.command("HSET", key(node.node().keySpace.jobs()), id, entry);
    }

    private static JobTable table(JobNode node) {
        return new JobTable(node.node().scripts, node.node().keySpace, job -> {});
    }

    private StoredJob stored(JobNode node, String id, JobRequest request, State state) {
        Instant now = now(node);
        StoredJob job = new StoredJob(new Job(id, request, state, 0, 0, 0, null, now, now, null), "", false);
        table(node).add(job);
        return job;
    }

    @Test
    void aJobWhoseCallsAreRejectedSaysSoAndDoesNotDelayOthers() {
        HeldExecutor runs = new HeldExecutor();
        JobNode node = node(1, builder -> builder.handlers(runs).time(time));
        deadLetters(node, 10, i -> "no");
        node.node()
                .template
                .send(DelayMessage.to("broken").payload("p").delay(LATER).build());
        Job broken = node.jobs().start(JobRequest.of(JobAction.REPLAY, "broken"));
        Job other = node.jobs().start(JobRequest.of(JobAction.REPLAY, "t"));
        String dead = deadKey(node, "broken");
        server.command("SET", dead, "foreign");
        runs.release();

        assertThat(ended(node, other).done()).isEqualTo(10);
        await().untilAsserted(() -> assertThat(node.jobs().job(broken.id()).orElseThrow())
                .matches(Job::isActive)
                .extracting(Job::failure)
                .asString()
                .contains("WRONGTYPE"));

        server.command("DEL", dead);
        assertThat(endedAfterRetry(node, broken))
                .matches(job -> job.state() == State.FINISHED && job.failure() == null);
    }

    @Test
    void aReplayWaitsWhileMemoryIsFull() {
        HeldExecutor runs = new HeldExecutor();
        JobNode node = node(1, builder -> builder.handlers(runs).time(time));
        deadLetters(node, 10, i -> "no");
        Job job = node.jobs().start(JobRequest.of(JobAction.REPLAY, "t"));
        server.command("CONFIG", "SET", "maxmemory", "1");
        runs.release();
        try {
            await().untilAsserted(() -> assertThat(
                            node.jobs().job(job.id()).orElseThrow().failure())
                    .contains("memory"));
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(endedAfterRetry(node, job)).matches(end -> end.done() == 10 && end.failure() == null);
    }

    @Test
    void aJobIsRunByANodeThatWasNotListedForATime() {
        HeldExecutor runs = new HeldExecutor();
        AtomicBoolean silent = new AtomicBoolean();
        AtomicInteger failedHeartbeats = new AtomicInteger();
        JobNode node = node(
                1,
                builder -> builder.settings(FAST).time(time).handlers(runs).scripts(real -> call -> {
                    if (silent.get() && call.script().name().equals("heartbeat")) {
                        failedHeartbeats.incrementAndGet();
                        return CompletableFuture.failedFuture(
                                new RedisCallException(Kind.NOT_SENT, "held by the test", null));
                    }
                    return real.run(call);
                }));
        node.node().engine.join();
        JobNode observer = node(1, builder -> builder.settings(FAST));
        await().until(() -> observer.node().directory.read().nodes().size() == 1);
        Job job = node.jobs().start(JobRequest.of(JobAction.PAUSE, "t"));
        await().until(() -> runs.submitted() > 0);
        silent.set(true);
        await().until(() -> failedHeartbeats.get() > 0);
        await().until(() -> observer.node().directory.read().nodes().isEmpty());

        runs.release();

        await().until(() -> runs.ended() > 0);
        assertThat(observer.jobs().job(job.id()).orElseThrow().isActive()).isTrue();
        silent.set(false);
        assertThat(endedAfterRetry(observer, job).state()).isEqualTo(State.FINISHED);
    }

    @Test
    void aJobIsRunAlthoughTheHandlerExecutorRejectsATask() {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicInteger rejections = new AtomicInteger(1);
        try {
            JobNode node = node(
                    1,
                    builder -> builder.time(time).handlers(task -> {
                        if (rejections.getAndDecrement() > 0) {
                            throw new RejectedExecutionException("full");
                        }
                        threads.execute(task);
                    }));
            Job job = node.jobs().start(JobRequest.of(JobAction.PAUSE, "t"));
            assertThat(endedAfterRetry(node, job).state()).isEqualTo(State.FINISHED);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aRateIsKeptAlthoughOtherJobsStart() {
        EngineSettings quiet = Pacing.quiet().settings();
        JobNode node =
                node(1, builder -> builder.settings(quiet).nanoTime(() -> 42L).closeWait(Duration.ofMillis(1)));
        deadLetters(node, 100, i -> "no");
        Job slow = node.jobs().start(JobRequest.of(JobAction.REPLAY, "t").perSecond(1));
        for (int i = 0; i < 10; i++) {
            ended(node, node.jobs().start(JobRequest.of(JobAction.PAUSE, "t")));
        }
        assertThat(node.jobs().job(slow.id()).orElseThrow().done()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPLAY", "PURGE"})
    void aJobEndsAlthoughThereAreForeignEntries(JobAction action) {
        JobNode node = node(1);
        deadLetters(node, 10, i -> "no");
        for (int i = 0; i < 3; i++) {
            server.command("ZADD", deadKey(node, "t"), "1000", "foreign" + i);
        }
        Job job = ended(node, node.jobs().start(JobRequest.of(action, "t")));
        assertThat(job.state()).isEqualTo(State.FINISHED);
        assertThat(job.done()).isEqualTo(10);
        assertThat(counts(node).dead()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(JobAction.class)
    void repeatedCallsCountOnce(JobAction action) {
        JobNode node = node(
                1,
                builder -> builder.scripts(real -> call -> call.script().name().equals("job")
                        ? real.run(call).thenCompose(lost -> real.run(call))
                        : real.run(call)));
        deadLetters(node, 300, i -> "no"); // more than a batch
        send(node, "later", 300, LATER);
        JobRequest request = action == JobAction.MOVE ? JobRequest.move("t", "right") : JobRequest.of(action, "t");
        Job job = ended(node, node.jobs().start(request));
        assertThat(job.done()).isEqualTo(job.expected());
    }

    @Test
    void theEndThatTwoNodesWriteIsToldOnce() {
        JobNode node = node(1);
        StoredJob job = stored(node, "j", JobRequest.of(JobAction.PAUSE, "t"), State.WAITING);
        List<Job> ends = new ArrayList<>();
        JobTable one = new JobTable(node.node().scripts, node.node().keySpace, ends::add);
        JobTable other = new JobTable(node.node().scripts, node.node().keySpace, ends::add);

        one.update(job, read -> read.after(new Batch(1, 0, null, false), "one", now(node)));
        other.update(job, read -> read.after(new Batch(0, 0, null, false), "other", now(node)));

        assertThat(ends).singleElement().extracting(Job::node).isEqualTo("one");
    }

    /** Each call in turn fails, before or after Redis runs it, and the job continues as on another node. */
    @ParameterizedTest
    @EnumSource(
            value = JobAction.class,
            names = {"REPLAY", "PURGE", "RUN", "CANCEL", "MOVE"})
    void aJobThatIsInterruptedActsOnEachOnce(JobAction action) {
        int messages = 4; // several in each shard; the number of calls grows with it, and each repeats all of them
        for (boolean ran : new boolean[] {false, true}) {
            AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
            AtomicBoolean failed = new AtomicBoolean();
            JobNode node = node(
                    2,
                    builder -> builder.scripts(real -> call -> {
                        boolean fails = left.decrementAndGet() == 0;
                        failed.compareAndSet(false, fails);
                        CompletableFuture<List<Object>> lost = CompletableFuture.failedFuture(
                                new RedisCallException(ran ? Kind.UNKNOWN : Kind.NOT_SENT, "lost by the test", null));
                        return !fails ? real.run(call) : ran ? real.run(call).thenCompose(reply -> lost) : lost;
                    }));
            for (int at = 1; ; at++) {
                server.flush();
                replayed.clear();
                left.set(Integer.MAX_VALUE);
                send(node, "later", messages, LATER);
                deadLetters(node, messages, i -> "no");
                JobRequest request =
                        action == JobAction.MOVE ? JobRequest.move("t", "right") : JobRequest.of(action, "t");
                StoredJob job = stored(node, "j", request, State.WAITING);
                JobWork work = node.work(new EventBus(List.of(events)));
                failed.set(false);
                left.set(at);
                try {
                    DelayQueueJobsTests.runToEnd(table(node), job, work, "one");
                } catch (RedisCallException e) {
                    StoredJob again = table(node).read().jobs().get(0);
                    DelayQueueJobsTests.runToEnd(table(node), again, work, "two");
                }
                left.set(Integer.MAX_VALUE);
                Job end = table(node).read().jobs().get(0).job();
                assertThat(end.state()).isEqualTo(State.FINISHED);
                TopicCounts counts = counts(node);
                String what = action + ", call " + at + (ran ? " ran" : " did not run");
                boolean onDeadLetters = action.isOnDeadLetters();
                boolean ready = action == JobAction.REPLAY || action == JobAction.RUN;
                assertThat(end.done()).as(what).isBetween(failed.get() ? 0L : messages, (long) messages);
                assertThat(counts.dead()).as(what).isEqualTo(onDeadLetters ? 0 : messages);
                assertThat(counts.scheduled()).as(what).isEqualTo(onDeadLetters ? messages : 0);
                assertThat(counts.ready()).as(what).isEqualTo(ready ? messages : 0);
                if (action == JobAction.MOVE) {
                    assertThat(messages(node, "right")).hasSize(messages);
                }
                if (!failed.get()) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJobContinuesOnAnotherNodeIfItsNodeEnds(boolean closed) {
        AtomicInteger replays = new AtomicInteger();
        JobNode first = node(
                2,
                builder -> builder.settings(FAST)
                        .scripts(real -> call -> call.script().name().equals("replay") && replays.incrementAndGet() > 1
                                ? CompletableFuture.failedFuture(
                                        new RedisCallException(Kind.NOT_SENT, "held by the test", null))
                                : real.run(call)));
        first.node().engine.join();
        deadLetters(first, 1000, i -> "no");
        Job job = first.jobs().start(JobRequest.of(JobAction.REPLAY, "t").delay(LATER));
        await().until(() -> first.jobs().job(job.id()).orElseThrow().done() > 0);
        JobNode second = node(2, builder -> builder.settings(FAST));
        second.node().engine.join();
        nodes.remove(first.node());
        if (!closed) {
            first.node().abandon();
        }
        first.node().close();

        Job ended = ended(second, job);

        assertThat(ended.state()).isEqualTo(State.FINISHED);
        assertThat(ended.node()).isEqualTo(second.node().name);
        assertThat(ended.done()).isEqualTo(1000);
        assertThat(replayed).hasSize(1000);
        assertThat(counts(second).dead()).isZero();
        assertThat(counts(second).scheduled()).isEqualTo(1000);
    }

    @Test
    void jobsRunAfterRedisLostItsData() {
        JobNode node = node(1);
        deadLetters(node, 100, i -> "no");
        Job job = node.jobs().start(JobRequest.of(JobAction.REPLAY, "t").perSecond(1));
        await().until(() -> node.jobs().job(job.id()).orElseThrow().done() > 0);
        server.flush();
        await().until(() -> node.jobs().jobs().isEmpty());
        Job next = node.jobs().start(JobRequest.of(JobAction.PAUSE, "t"));
        assertThat(ended(node, next).state()).isEqualTo(State.FINISHED);
        assertThat(node.jobs().jobs()).hasSize(1);
    }

    @Test
    void deadLettersThatFailAgainAreNotReplayedAgain() {
        JobNode node = node(1);
        deadLetters(node, 600, i -> "no");
        AtomicInteger handled = new AtomicInteger();
        node.node().listen("t", ListenerOptions.DEFAULTS, delivery -> {
            handled.incrementAndGet();
            throw new InvalidDeliveryException("again", new IllegalStateException());
        });
        Job end = ended(node, node.jobs().start(JobRequest.of(JobAction.REPLAY, "t")));
        assertThat(end.done()).isEqualTo(600);
        await().untilAsserted(() -> assertThat(counts(node).dead()).isEqualTo(600));
        assertThat(handled.get()).isEqualTo(600);
    }

    @Test
    void entriesOfForeignClientsDoNoHarm() {
        JobNode node = node(1);
        deadLetters(node, 10, i -> "no");
        add(node, "bad1", "");
        add(node, "bad2", "\u0000\u0001%zz&&&=");
        add(node, "bad3", "action=REPLAY&topic=&state=RUNNING");
        add(node, "bad\n4", "action=REPLAY&topic=t&state=RUNNING&requested=x");
        StoredJob job = stored(node, "good", JobRequest.of(JobAction.REPLAY, "t"), State.WAITING);
        String entry = job.write();
        add(node, "pos1", entry.replace("position=", "position=zz"));
        add(node, "pos2", entry.replace("position=", "position=zzzzzzzzzzz.0"));
        add(node, "pos3", entry.replace("position=", "position=0.zzzzzz.zz"));
        add(node, "pos4", entry.replace("action=REPLAY", "action=CANCEL").replace("position=", "position=S.q"));
        add(
                node,
                "pos5",
                entry.replace("action=REPLAY", "action=CANCEL").replace("position=", "position=R.zzzzzzzzzzz.%2B"));
        add(node, "more", entry + "&unknown=field");
        String ended = entry.replace("state=WAITING", "state=STOPPED");
        add(node, "future", ended.replaceAll("updated=[^&]*", "updated=%2B1000000000-12-31T23%3A59%3A59Z"));
        ended(node, node.jobs().start(JobRequest.of(JobAction.PAUSE, "t")));
        await().untilAsserted(() -> assertThat(node.jobs().jobs()).hasSize(9).noneMatch(Job::isActive));
        add(node, "old", ended.replaceAll("updated=\\d+", "updated=2025") + "&unknown=field");
        ended(node, node.jobs().start(JobRequest.of(JobAction.PAUSE, "t")));
        await().untilAsserted(() -> assertThat(node.jobs().job("old")).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u0000\r\n\u2028", "\"'`<script>&=%+;", "\uD83D\uDE00", "\uD83D", "10KB"})
    void anyTextIsStored(String given) {
        String text = given.equals("10KB") ? "x".repeat(10_000) : given;
        JobNode node = node(1);
        deadLetters(node, 3, i -> "no");
        Job job = ended(
                node,
                node.jobs()
                        .start(JobRequest.of(JobAction.PURGE, "t")
                                .by(text)
                                .filter(new DeadLetterFilter(text, text, text, null, null))));
        assertThat(job.done()).isZero();
        assertThat(job.state()).isEqualTo(State.FINISHED);
        if (!text.equals("\uD83D")) {
            assertThat(job.request().by()).isEqualTo(text);
            assertThat(job.request().filter().shape()).isEqualTo(text);
        }
        assertThat(counts(node).dead()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"CANCEL, cancel", "MOVE, movetake", "RUN, reschedule"})
    void aMessageThatIsReplacedWhileAJobActsOnItIsKept(JobAction action, String script) {
        AtomicReference<@Nullable Runnable> before = new AtomicReference<>();
        JobNode node = node(
                1,
                builder -> builder.scripts(real -> call -> {
                    Runnable replacement = call.script().name().equals(script) ? before.getAndSet(null) : null;
                    if (replacement != null) {
                        replacement.run();
                    }
                    return real.run(call);
                }));
        JobNode other = node(1);
        send(other, "a", 1, LATER);
        before.set(() -> {
            Instant running = now(other);
            await().until(() -> now(other).isAfter(running.plusMillis(1)));
            other.node()
                    .template
                    .send(DelayMessage.to("t")
                            .id("a0")
                            .payload("new")
                            .delay(LATER)
                            .onDuplicate(OnDuplicate.REPLACE)
                            .build());
        });

        JobRequest request = action == JobAction.MOVE ? JobRequest.move("t", "right") : JobRequest.of(action, "t");
        Job job = ended(node, node.jobs().start(request));

        assertThat(List.of(job.done(), job.kept())).containsExactly(0L, 1L);
        assertThat(counts(node).scheduled()).isEqualTo(1);
        assertThat(messages(node, "t"))
                .singleElement()
                .satisfies(message ->
                        assertThat(message.envelope().payload()).asString(UTF_8).contains("new"));
    }
}
