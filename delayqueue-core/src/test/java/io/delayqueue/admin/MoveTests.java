package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.Job.State;
import io.delayqueue.admin.StoredJob.Batch;
import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.script.MessageMover;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Moves of messages to another topic while others act on the same messages, and while movers fail. */
class MoveTests extends JobsTest {

    private static final String ID = "m0";
    private static final String PAYLOAD = "p0";
    private static final ShardPlan PLAN = new ShardPlan(Map.of("t", 2, "right", 3), ShardPlan.OnConflict.FAIL);

    /** Who moves. Its calls may be held up or fail. */
    private JobNode mover;

    private final Interruption interruption = new Interruption();
    private JobNode other;
    /** For polls and ids of jobs. */
    private final AtomicLong polls = new AtomicLong();

    /** Payload → how often it was handled. */
    private final Map<String, Integer> handled = new ConcurrentHashMap<>();

    /** Whether a caller was told that the message is cancelled. */
    private boolean cancelled;

    private boolean replaced;
    private boolean sentAnew;

    /** Acts before the n-th call that writes, or ends the node then. */
    private static final class Interruption {

        private enum Kind {
            NONE,
            FAILS_BEFORE,
            FAILS_AFTER
        }

        private static final Set<String> WRITING =
                Set.of("movereserve", "movetake", "movestore", "moveend", "send", "cancel");

        private final Queue<ScriptCall> sent = new ConcurrentLinkedQueue<>();
        private Kind kind = Kind.NONE;
        private int left;
        private boolean failed;
        private Runnable action = () -> {};

        private void begin(Kind kind, int at, Runnable action) {
            this.kind = kind;
            this.left = at;
            this.action = action;
            this.failed = false;
            sent.clear();
        }

        private boolean reached() {
            return left < 0;
        }

        private synchronized CompletableFuture<List<Object>> run(ScriptRunner real, ScriptCall call) {
            CompletableFuture<List<Object>> lost = CompletableFuture.failedFuture(
                    new RedisCallException(RedisCallException.Kind.UNKNOWN, "lost by the test", null));
            sent.add(call);
            if (failed) {
                return lost;
            }
            if (!WRITING.contains(call.script().name()) || left-- != 0) {
                return real.run(call);
            }
            failed = kind != Kind.NONE;
            return switch (kind) {
                // the others call Redis, which the thread that reads replies must not wait for
                case NONE -> CompletableFuture.runAsync(action).thenCompose(ran -> real.run(call));
                case FAILS_BEFORE -> lost;
                default -> real.run(call).thenCompose(ran -> lost);
            };
        }
    }

    @BeforeEach
    void startNodes() {
        mover = node(
                2,
                builder -> builder.plan(PLAN)
                        .settings(Pacing.quiet().settings())
                        .scripts(real -> call -> interruption.run(real, call)));
        other = node(2, builder -> builder.plan(PLAN).settings(Pacing.quiet().settings()));
    }

    enum Meanwhile {
        NOTHING,
        CANCEL,
        CANCEL_IN_TARGET,
        CLAIM,
        CLAIM_AND_RELEASE,
        RESCHEDULE,
        REPLACE,
        SEND_TO_TARGET,
        FILL_TARGET,
        SECOND_MOVER,
        LISTED_BY_NEXT_NODE
    }

    /** At each call of a move in turn, others act on the message: the node goes on, or has ended before or after the call. */
    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void aMessageIsMovedOnceWhateverHappensMeanwhile(Meanwhile meanwhile) {
        for (Interruption.Kind kind : Interruption.Kind.values()) {
            for (int at = 0; ; at++) {
                begin();
                StoredJob job = job();
                interruption.begin(kind, at, () -> act(meanwhile, job));
                String where = meanwhile + " at call " + at + ", " + kind;
                boolean ended = runToEnd(mover, job);
                if (!interruption.reached()) {
                    break;
                }
                assertThat(ended).as(where).isEqualTo(kind == Interruption.Kind.NONE);
                if (!ended) {
                    assertStored(where);
                    act(meanwhile, job);
                }
                assertStored(where);
                assertThat(runToEnd(other, job)).as(where).isTrue();
                assertHandledOnce(where);
                assertNothingLeft(where);
            }
        }
    }

    private void begin() {
        server.flush();
        handled.clear();
        cancelled = false;
        replaced = false;
        sentAnew = false;
        send(other, "m", 1, Duration.ZERO);
        interruption.begin(Interruption.Kind.NONE, Integer.MAX_VALUE, () -> {});
    }

    private StoredJob job() {
        Instant now = other.node().directory.read().now();
        Job job = new Job(
                "j" + polls.incrementAndGet(),
                JobRequest.move("t", "right"),
                State.WAITING,
                0,
                0,
                0,
                null,
                now,
                now,
                null);
        return new StoredJob(job, "", false);
    }

    /** Whether it ended; otherwise the node has failed. */
    private static boolean runToEnd(JobNode node, StoredJob job) {
        return runToEnd(node.work(new EventBus(List.of())), job);
    }

    private static boolean runToEnd(JobWork work, StoredJob job) {
        try {
            StoredJob current = job;
            while (current.job().isActive()) {
                Batch batch = work.next(current, JobWork.MAX_BATCH);
                current = current.after(batch, "n", job.job().requestedAt());
            }
            return true;
        } catch (RedisCallException e) {
            return false;
        }
    }

    private void act(Meanwhile meanwhile, StoredJob job) {
        switch (meanwhile) {
            case NOTHING -> {}
            case CANCEL -> cancel("t");
            case CANCEL_IN_TARGET -> cancel("right");
            case CLAIM -> handleAll();
            case CLAIM_AND_RELEASE -> claimAll(true);
            case RESCHEDULE -> {
                RescheduleOutcome unused = other.node().template.reschedule("t", ID, LATER);
            }
            case REPLACE -> {
                waitAMillisecond();
                SendResult result = other.node()
                        .template
                        .send(DelayMessage.to("t")
                                .id(ID)
                                .payload("new")
                                .onDuplicate(OnDuplicate.REPLACE)
                                .build());
                replaced = result instanceof SendResult.Replaced;
                sentAnew = true;
            }
            case SEND_TO_TARGET -> {
                try {
                    other.node()
                            .template
                            .send(DelayMessage.to("right").id(ID).payload("new").build());
                    sentAnew = true;
                } catch (DuplicateMessageException e) {
                    sentAnew = false;
                }
            }
            case FILL_TARGET -> fillTarget();
            case SECOND_MOVER -> {
                runToEnd(other, job);
                handleAll();
            }
            case LISTED_BY_NEXT_NODE -> runToEnd(other, job);
        }
    }

    /** From now on, the shard of the target accepts no further message. */
    private void fillTarget() {
        QueueNode node = other.node();
        int shard = Shard.indexOf(ID, 3);
        String filler = IntStream.range(1, 1000)
                .mapToObj(i -> "m" + i)
                .filter(id -> Shard.indexOf(id, 3) == shard)
                .findFirst()
                .orElseThrow();
        node.template.send(DelayMessage.to("right").id(filler).payload("filler").build());
        byte[] meta = node.keySpace.of(Shard.all("right", 3).get(shard)).meta();
        server.command(ShardLimits.command(new String(meta, UTF_8), 1));
    }

    private void waitAMillisecond() {
        Instant now = other.node().directory.read().now();
        while (!other.node().directory.read().now().isAfter(now.plusMillis(1))) {}
    }

    private void cancel(String topic) {
        cancelled |= other.node().template.cancel(topic, ID) == CancelOutcome.CANCELLED;
    }

    private List<Shard> shards() {
        List<Shard> shards = new ArrayList<>(Shard.all("t", 2));
        shards.addAll(Shard.all("right", 3));
        return shards;
    }

    private void handleAll() {
        claimAll(false);
    }

    private void claimAll(boolean release) {
        for (Shard shard : shards()) {
            List<Claim> claims = Polls.poll(
                            other.node().store,
                            shard,
                            Polls.by("c", polls.incrementAndGet()).claim(500).build())
                    .claims();
            Polls settling = Polls.by("c", polls.incrementAndGet());
            for (Claim claim : claims) {
                if (release) {
                    settling.release(claim.id(), claim.token());
                } else {
                    settling.acknowledge(claim.id(), claim.token());
                }
            }
            List<String> rejected = Polls.poll(other.node().store, shard, settling.build()).rejected().stream()
                    .map(Settlement::id)
                    .toList();
            claims.stream()
                    .filter(claim -> !release && !rejected.contains(claim.id()))
                    .forEach(claim -> handled.merge(new String(claim.envelope().payload(), UTF_8), 1, Integer::sum));
        }
    }

    private void assertStored(String where) {
        boolean stored = shards().stream()
                .filter(shard -> shard.index() == Shard.indexOf(ID, shard.count()))
                .map(shard -> other.node().store.find(shard, ID).join())
                .anyMatch(found -> found.filter(message -> payload(message).equals(PAYLOAD))
                        .isPresent());
        assertThat(stored || cancelled || replaced || handled.containsKey(PAYLOAD))
                .as(where)
                .isTrue();
    }

    private static String payload(MessageSnapshot message) {
        return new String(message.envelope().payload(), UTF_8);
    }

    private void assertHandledOnce(String where) {
        handleAll();
        List<MessageSnapshot> left = new ArrayList<>(messages(other, "t"));
        left.addAll(messages(other, "right"));
        for (MessageSnapshot message : left) { // rescheduled
            handled.merge(payload(message), 1, Integer::sum);
            other.node().template.cancel(message.topic(), message.id());
        }
        int expected = cancelled ? 0 : 1;
        int times = handled.getOrDefault(PAYLOAD, 0);
        assertThat(times).as(where).isLessThanOrEqualTo(expected);
        if (!replaced) {
            assertThat(times).as(where).isEqualTo(expected);
        }
        assertThat(handled.getOrDefault("new", 0)).as(where).isEqualTo(sentAnew ? 1 : 0);
    }

    private void assertNothingLeft(String where) {
        QueueNode node = other.node();
        for (Shard shard : shards()) {
            String base = new String(node.keySpace.of(shard).meta(), UTF_8).replaceFirst("meta$", "");
            assertThat(server.command("HLEN", base + "messages")).as(where).isEqualTo(1L);
            assertThat(server.command("HLEN", base + "deliveries")).as(where).isEqualTo(1L);
            assertThat(server.command("ZCARD", base + "schedule")).as(where).isEqualTo(1L);
            assertThat(server.command("ZCARD", base + "leases")).as(where).isEqualTo(1L);
            assertThat(String.valueOf(server.command("HKEYS", base + "meta")))
                    .as(where)
                    .doesNotContain("m:");
        }
        List<String> unexpected = new ArrayList<>();
        for (Object key : (List<?>) server.command("KEYS", "*")) {
            String name = key instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(key);
            if (!name.matches(
                    "dq:(topics|\\{nodes}:.*|\\{(t|right):.*}:(notifications\\.)?"
                            + "(schedule|leases|messages|deliveries|meta|dead|deadLetters|recurring|recurrences|sent|sent\\.until))")) {
                unexpected.add(name);
            }
        }
        assertThat(unexpected).as(where).isEmpty();
    }

    /** A node that finishes moves reads the shards of the target one after the other, while a mover begins. */
    @Test
    void reservationsThatWereMadeInOtherShardsMeanwhileAreKept() {
        QueueNode node = other.node();
        List<String> ids = List.of(idIn(0, 0), idIn(0, 1), idIn(1, 0));
        ids.forEach(id -> node.template.send(
                DelayMessage.to("t").id(id).payload("p").delay(LATER).build()));
        node.template.send(
                DelayMessage.to("right").id("other").payload("p").delay(LATER).build());
        byte[] lastShard = node.keySpace.of(Shard.all("t", 2).get(1)).meta();
        CompletableFuture<Void> taken = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        MessageMover moving = mover(call -> {
            if (!call.script().name().equals("movetake")) {
                return node.scripts.run(call);
            }
            return Arrays.equals(call.keys().get(4), lastShard)
                    ? released.thenCompose(ready -> node.scripts.run(call))
                    : node.scripts.run(call).whenComplete((reply, failure) -> taken.complete(null));
        });
        AtomicInteger reads = new AtomicInteger();
        AtomicReference<CompletableFuture<Set<String>>> moved = new AtomicReference<>();
        MessageMover finishing = mover(call -> {
            if (!call.script().name().equals("moves") || reads.incrementAndGet() != 2) {
                return node.scripts.run(call);
            }
            moved.set(CompletableFuture.supplyAsync(
                    () -> moving.move(Shard.all("t", 2), "right", ids, Instant.ofEpochMilli(Long.MAX_VALUE / 2))
                            .ids()));
            return taken.thenComposeAsync(ready -> node.scripts.run(call));
        });

        finishing.finish(Shard.all("t", 2), "right");
        released.complete(null);
        moved.get().join();

        for (String id : ids) {
            assertThat(Stream.of("t", "right")
                            .filter(topic -> node.template.find(topic, id).isPresent()))
                    .as(id)
                    .hasSize(1);
        }
    }

    private MessageMover mover(ScriptRunner scripts) {
        QueueNode node = other.node();
        return new MessageMover(scripts, node.keySpace, new TopicRegistry(scripts, node.keySpace, PLAN));
    }

    /** An id that belongs to these shards of source and target. */
    private static String idIn(int source, int target) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "m" + i)
                .filter(id -> Shard.indexOf(id, 2) == source && Shard.indexOf(id, 3) == target)
                .findFirst()
                .orElseThrow();
    }

    /** A connection that hung delivers a call again, after the message was released by a listener that had claimed it. */
    @Test
    void aCallThatIsDeliveredLateMovesNothing() {
        for (int at = 0; ; at++) {
            begin();
            StoredJob job = job();
            interruption.begin(Interruption.Kind.NONE, at, () -> claimAll(true));
            runToEnd(mover, job);
            if (!interruption.reached()) {
                return;
            }
            List<ScriptCall> late = interruption.sent.stream()
                    .filter(call -> Interruption.WRITING.contains(call.script().name()))
                    .toList();
            for (ScriptCall call : late) {
                CompletableFuture<List<Object>> unused = other.node().scripts.run(call);
                unused.exceptionally(failure -> List.of()).join();
            }
            assertHandledOnce("at call " + at);
            assertNothingLeft("at call " + at);
        }
    }

    @Test
    void aStoppedJobLeavesNothingBehindAlthoughItsNodeFailed() {
        for (int at = 0; ; at++) {
            begin();
            StoredJob job = job();
            interruption.begin(Interruption.Kind.FAILS_AFTER, at, () -> {});
            if (runToEnd(mover, job)) {
                return;
            }
            JobTable table = new JobTable(other.node().scripts, other.node().keySpace, ended -> {});
            table.add(new StoredJob(job.job(), job.position(), job.acted()));
            other.jobs().stop(job.job().id());
            other.node().engine.join();
            ended(other, other.jobs().start(JobRequest.of(JobAction.PAUSE, "x")));
            ended(other, other.jobs().start(JobRequest.of(JobAction.RESUME, "x")));
            assertHandledOnce("at call " + at);
            assertNothingLeft("at call " + at);
        }
    }

    @Test
    void eachOfManyMessagesIsMovedOrCancelled() throws InterruptedException {
        moveMany(1500, 2);
    }

    @Test
    @Tag("long")
    @Tag("core")
    @Timeout(400) // not the minute of RedisTest: 200,000 messages on a busy machine
    void eachOfVeryManyMessagesIsMovedOrCancelled() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            server.flush();
            handled.clear();
            moveMany(10_000, 4);
        }
    }

    /** Movers fail at random calls, while others cancel and handle. */
    private void moveMany(int count, int movers) throws InterruptedException {
        interruption.begin(Interruption.Kind.NONE, Integer.MAX_VALUE, () -> {});
        for (int sent = 0; sent < count; sent += 500) {
            int from = sent;
            other.node()
                    .template
                    .sendAll(IntStream.range(from, Math.min(count, from + 500))
                            .mapToObj(i -> DelayMessage.to("t")
                                    .id("m" + i)
                                    .payload("p" + i)
                                    .delay(i % 2 == 0 ? Duration.ZERO : LATER)
                                    .build())
                            .toList());
        }
        StoredJob job = job();
        Map<String, CancelOutcome> cancels = new ConcurrentHashMap<>();
        AtomicBoolean moving = new AtomicBoolean(true);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> moverThreads = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < movers; i++) {
            moverThreads.add(thread(failures, () -> moveFailing(job)));
        }
        threads.add(thread(failures, () -> {
            Random random = new Random(1);
            while (moving.get()) {
                String id = "m" + random.nextInt(count);
                for (String topic : List.of("t", "right")) {
                    CancelOutcome outcome = other.node().template.cancel(topic, id);
                    if (outcome != CancelOutcome.NOT_FOUND) {
                        assertThat(cancels.put(id, outcome)).as(id).isNull();
                    }
                }
            }
        }));
        threads.add(thread(failures, () -> {
            while (moving.get()) {
                handleAll();
            }
        }));
        for (Thread thread : moverThreads) {
            thread.join();
        }
        moving.set(false);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(runToEnd(other, job)).isTrue();
        for (int left = -1; left != handled.size(); ) {
            left = handled.size();
            handleAll();
        }
        assertThat(messages(other, "t")).isEmpty();
        for (List<MessageSnapshot> left = messages(other, "right"); !left.isEmpty(); left = messages(other, "right")) {
            for (MessageSnapshot message : left) {
                handled.merge(payload(message), 1, Integer::sum);
                other.node().template.cancel("right", message.id());
            }
        }
        for (int i = 0; i < count; i++) {
            int times = handled.getOrDefault("p" + i, 0);
            CancelOutcome outcome = cancels.get("m" + i);
            assertThat(times).as("m" + i).isEqualTo(outcome == null ? 1 : 0);
        }
        assertThat(cancels.containsValue(CancelOutcome.CANCELLED)).isTrue();
        assertNothingLeft("at the end");
    }

    private static Thread thread(Queue<Throwable> failures, Runnable work) {
        Thread thread = new Thread(work);
        thread.setUncaughtExceptionHandler((ended, failure) -> failures.add(failure));
        thread.start();
        return thread;
    }

    /** Moves as movers that fail at a random call, one after the other, until one comes to the end. */
    private void moveFailing(StoredJob job) {
        ScriptRunner real = other.node().scripts;
        for (int movers = 0; ; movers++) {
            AtomicLong left =
                    new AtomicLong(movers < 25 ? ThreadLocalRandom.current().nextInt(1, 40) : Long.MAX_VALUE);
            ScriptRunner failing = call -> {
                CompletableFuture<List<Object>> lost = CompletableFuture.failedFuture(
                        new RedisCallException(RedisCallException.Kind.UNKNOWN, "lost by the test", null));
                long now = left.decrementAndGet();
                return now > 0 ? real.run(call) : now == 0 ? real.run(call).thenCompose(reply -> lost) : lost;
            };
            if (runToEnd(work(failing), job)) {
                return;
            }
        }
    }

    private JobWork work(ScriptRunner scripts) {
        QueueNode node = other.node();
        TopicRegistry registry = new TopicRegistry(scripts, node.keySpace, PLAN);
        return new JobWork(
                new RedisMessageStore(scripts, node.keySpace, registry),
                mover(scripts),
                new ShardReader(scripts, node.keySpace, registry),
                registry,
                node.directory,
                new EventBus(List.of()));
    }
}
