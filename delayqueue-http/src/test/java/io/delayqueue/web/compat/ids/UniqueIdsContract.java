package io.delayqueue.web.compat.ids;

import static io.delayqueue.web.compat.ids.IdsOnRedis.join;
import static io.delayqueue.web.compat.ids.IdsOnRedis.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.web.compat.ids.IdsOnRedis.Pusher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each id is live in at most one topic, despite late calls, crashes and losses. */
@Timeout(120)
abstract class UniqueIdsContract {

    private static final List<String> TOPICS = List.of("a", "b", "c");
    private static final int MOST_CALLS = 40;

    private Pusher process;

    abstract IdsOnRedis redis();

    abstract Set<String> keys();

    @BeforeEach
    void begin() {
        process = redis().process();
    }

    @Test
    void pushToAnotherTopicReplaces() {
        process.push("a", "1", "x");
        process.push("b", "1", "y");

        assertThat(process.live("1", TOPICS)).containsExactly("b=y");
        assertThat(process.found("1")).contains("b=y");
        process.push("a", "1", "z");
        assertThat(process.live("1", TOPICS)).containsExactly("a=z");
    }

    @Test
    void endedIdLeavesNothing() {
        process.push("a", "1", "x");

        assertThat(process.end("1")).isTrue();
        assertThat(process.live("1", TOPICS)).isEmpty();
        assertThat(redis().entry("1")).isEmpty();
        assertThat(process.end("1")).isFalse();
    }

    @Test
    void onlyPermittedTopicsAreChanged() {
        UniqueIds onlyA = process.ids().within("a"::equals);
        process.push("b", "1", "y");

        assertThat(join(onlyA.cancel("1"))).isFalse();
        assertThat(join(onlyA.finish("1"))).isFalse();
        assertThat(join(onlyA.findElsewhere("1"))).contains("b");
        assertThat(process.live("1", TOPICS)).containsExactly("b=y");
        assertThat(process.end("1")).isTrue();
        assertThat(join(onlyA.findElsewhere("1"))).isEmpty();
    }

    /** Java applications may send the same id to several topics. */
    @Test
    void copyInAnotherTopicIsNeitherChangedNorForgotten() {
        for (String topic : List.of("a", "b")) {
            process.template().send(message(topic, "1", topic, 0));
            join(process.ids().add(topic, "1"));
        }
        UniqueIds onlyA = process.ids().within("a"::equals);

        assertThat(join(onlyA.find("1")))
                .hasValueSatisfying(found -> assertThat(found.topic()).isEqualTo("a"));
        assertThat(join(onlyA.cancel("1"))).isTrue();

        assertThat(process.live("1", TOPICS)).containsExactly("b=b");
        assertThat(process.found("1")).contains("b=b");
        assertThat(process.end("1")).isTrue();
        assertThat(process.live("1", TOPICS)).isEmpty();
    }

    @Test
    void anyNameCanBeATopic() {
        for (String topic : List.of("a b", "a\nb", "%20", "a:b", " ", "队列", "x\u0000\u007f\u0085")) {
            process.push("a" + topic, "1", "x");
            process.push(topic + "b", "1", "y");
            assertThat(process.found("1")).contains(topic + "b=y");
            assertThat(process.live("1", List.of("a" + topic))).isEmpty();
        }
    }

    /** A process may crash before a call, or between the call's execution and its reply. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void crashOfAPushLosesNothing(boolean arrives) {
        for (int calls = 0; calls < MOST_CALLS; calls++) {
            String id = "crash" + calls + arrives;
            process.push("a", id, "old");
            boolean crashed = crash(calls, arrives, dying -> dying.pushAsync("b", id, "new"));

            assertThat(process.live(id, TOPICS)).as("after %s calls", calls).isNotEmpty();
            assertThat(process.found(id)).isNotEmpty();
            redis().sweep(Duration.ZERO, id);
            assertThat(process.live(id, TOPICS))
                    .as("after %s calls and a sweep", calls)
                    .hasSize(1);
            process.push("c", id, "last");
            assertThat(process.live(id, TOPICS)).containsExactly("c=last");
            if (!crashed) {
                assertThat(calls).isGreaterThan(3);
                return;
            }
        }
        throw new AssertionError("A push makes more than " + MOST_CALLS + " calls");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endAfterACrashEndsEverything(boolean arrives) {
        for (int calls = 0; calls < MOST_CALLS; calls++) {
            String id = "end" + calls + arrives;
            process.push("a", id, "old");
            boolean crashed = crash(calls, arrives, dying -> dying.pushAsync("b", id, "new"));
            crash(calls, arrives, dying -> dying.ids().cancel(id));

            process.end(id);
            assertThat(process.live(id, TOPICS)).as("after %s calls", calls).isEmpty();
            redis().sweep(Duration.ZERO, id);
            assertThat(redis().entry(id))
                    .as("after %s calls and a sweep", calls)
                    .isEmpty();
            if (!crashed) {
                return;
            }
        }
        throw new AssertionError("A push makes more than " + MOST_CALLS + " calls");
    }

    /** Whether the process crashed before the end. */
    private boolean crash(int calls, boolean arrives, Function<Pusher, CompletableFuture<?>> action) {
        CrashingScripts scripts = new CrashingScripts(redis().scripts);
        Pusher dying = redis().process(scripts, IdIndex.GRACE);
        scripts.crashAfter(calls, arrives);
        try {
            join(action.apply(dying));
        } catch (RuntimeException crashed) {
            assertThat(scripts.crashed()).isTrue();
        }
        return scripts.crashed();
    }

    /** A send that the test holds between the index and its topic. */
    private record Held(CompletableFuture<Void> gate, CompletableFuture<Void> pushed) {

        void goOn() {
            gate.complete(null);
            join(pushed);
        }
    }

    private Held held(String topic, String id, String body) {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<Void> entered = new CompletableFuture<>();
        Pusher slow = redis().process();
        CompletableFuture<Void> pushed = slow.ids()
                .push(topic, id, () -> CompletableFuture.completedFuture(null), nonce -> {
                    entered.complete(null);
                    CompletableFuture<Success> sent =
                            gate.thenCompose(open -> slow.template().sendAsync(message(topic, id, body, nonce)));
                    return sent;
                })
                .thenAccept(elsewhere -> assertThat(elsewhere).isEmpty());
        join(entered);
        return new Held(gate, pushed);
    }

    /** The settlement of a push may follow its end. */
    private void awaitLive(String id, String... live) {
        await().untilAsserted(() -> assertThat(process.live(id, TOPICS)).containsExactly(live));
    }

    @Test
    void aPushWaitsForTheIndexOnceAndForItsSend() {
        process.push("a", "other", "x"); // registers the topic
        CrashingScripts scripts = new CrashingScripts(redis().scripts);
        Pusher dying = redis().process(scripts, IdIndex.GRACE);
        dying.push("a", "registers the topic", "x");
        scripts.crashAfter(2, false);

        dying.push("a", "1", "x");

        assertThat(scripts.crashed()).isTrue();
        assertThat(process.live("1", TOPICS)).containsExactly("a=x");
        assertThat(process.end("1")).isTrue();
    }

    /** The first push has ended, but not its settlement. */
    @Test
    void aLaterPushThatFailsCancelsNothing() {
        long first = sendUnsettled("a", "1");
        long second = join(process.index().enterAsync("1", "b", 0)).version();

        assertThat(join(process.index().settleAsync("1", "a", first)).end()).isEqualTo(IdIndex.End.SETTLED);

        assertThat(second).isGreaterThan(first);
        redis().sweep(Duration.ZERO, "1");
        assertThat(process.live("1", TOPICS)).containsExactly("a=x");
        process.push("c", "1", "y");
        assertThat(process.live("1", TOPICS)).containsExactly("c=y");
    }

    @Test
    void aSendThatEndsWhileALaterPushIsPendingIsCancelledByIt() {
        long first = join(process.index().enterAsync("1", "a", 0)).version();
        long second = join(process.index().enterAsync("1", "b", 0)).version();
        join(process.copies().cancel("a", "1", second, false));
        join(process.template().sendAsync(message("b", "1", "y", second)));
        join(process.template().sendAsync(message("a", "1", "x", first)));
        join(process.index().settleAsync("1", "a", first));

        IdIndex.Settlement unseen = join(process.index().settleAsync("1", "b", second));
        assertThat(unseen.end()).isEqualTo(IdIndex.End.AGAIN);
        assertThat(unseen.others()).containsExactly("a");
        join(process.copies().cancel("a", "1", second, false));
        assertThat(join(process.index().settleAsync("1", "b", second)).end()).isEqualTo(IdIndex.End.SETTLED);
        assertThat(process.live("1", TOPICS)).containsExactly("b=y");
    }

    private long sendUnsettled(String topic, String id) {
        long version = join(process.index().enterAsync(id, topic, 0)).version();
        join(process.template().sendAsync(message(topic, id, "x", version)));
        return version;
    }

    @Test
    void operationsThatArriveDuringACallShareTheNextCall() {
        AtomicInteger calls = new AtomicInteger();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        ScriptRunner slow = new ScriptRunner() {

            @Override
            public CompletableFuture<List<Object>> run(ScriptCall call) {
                calls.incrementAndGet();
                return redis().scripts.run(call).thenCombine(gate, (reply, open) -> reply);
            }

            @Override
            public boolean isClustered() {
                return redis().scripts.isClustered();
            }
        };
        Pusher pusher = redis().process(slow, IdIndex.GRACE);
        List<CompletableFuture<Void>> added = new ArrayList<>();
        List<String> ids = idsOfOneBucket(100);
        ids.forEach(id -> added.add(pusher.index().addAsync(id, "topic of " + id)));
        gate.complete(null);
        added.forEach(IdsOnRedis::join);

        assertThat(calls).hasValueLessThan(10);
        assertThat(ids)
                .allSatisfy(id -> assertThat(join(pusher.index().findAsync(id)))
                        .hasValueSatisfying(entry -> assertThat(entry.topics()).containsExactly("topic of " + id)));
    }

    private static List<String> idsOfOneBucket(int count) {
        return IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(i -> "x".repeat(65) + i) // Redis returns a small hash with short fields as one page
                .filter(id -> IdIndex.bucketOf(id) == 0)
                .limit(count)
                .toList();
    }

    @Test
    void lateSendYieldsToALaterPush() {
        Held late = held("a", "1", "late");
        process.push("b", "1", "last");
        late.goOn();

        awaitLive("1", "b=last");
    }

    @Test
    void lateSendDoesNotReplaceALaterMessage() {
        Held late = held("a", "1", "late");
        Held between = held("b", "1", "between");
        process.push("a", "1", "last");
        late.goOn();
        between.goOn();

        awaitLive("1", "a=last");
    }

    @Test
    void lateCancelKeepsALaterPush() {
        process.push("a", "1", "first");
        Held between = held("b", "1", "between");
        process.push("a", "1", "last");
        between.goOn();

        assertThat(process.live("1", TOPICS)).containsExactly("a=last");
    }

    @Test
    void endDuringAPushPrecedesThePush() {
        Held late = held("a", "1", "late");
        assertThat(process.end("1")).isFalse();
        late.goOn();

        assertThat(process.found("1")).contains("a=late");
        assertThat(process.end("1")).isTrue();
        assertThat(process.live("1", TOPICS)).isEmpty();
    }

    @Test
    void laterPushWinsAfterAConcurrentEnd() {
        Held first = held("a", "1", "first");
        Held second = held("b", "1", "second");
        process.end("1");
        second.goOn();
        redis().loseEntry("1");
        first.goOn();

        process.push("b", "1", "third");
        assertThat(process.live("1", TOPICS)).containsExactly("b=third");
    }

    @Test
    void pushTakesOverTheEntryOfAnEarlierPush() {
        Held first = held("a", "1", "first");
        Held second = held("b", "1", "second");
        redis().loseEntry("1");
        first.goOn();
        second.goOn();

        awaitLive("1", "b=second");
        assertThat(process.found("1")).contains("b=second");
    }

    @Test
    void lostIndexIsRecreated() {
        long future = 9_000_000_000_000_000L;
        join(process.template().sendAsync(message("a", "1", "x", future)));
        process.push("a", "1", "y");
        assertThat(process.live("1", TOPICS)).containsExactly("a=y");

        redis().loseEntry("1");
        join(process.ids().add("a", "1"));
        assertThat(process.end("1")).isTrue();
        assertThat(process.live("1", TOPICS)).isEmpty();
    }

    @Test
    void messagesOfOtherSendersAreAddedToTheIndex() {
        process.template().send("a", "no id of ours");
        process.template().send(DelayMessage.to("a").id("1").payload("x").build());
        assertThat(process.found("1")).isEmpty();

        join(process.ids().add("a", "1"));
        join(process.ids().add("a", "1"));
        assertThat(process.found("1")).contains("a=x");
        process.push("b", "1", "y");
        assertThat(process.live("1", TOPICS)).containsExactly("b=y");
    }

    @Test
    void messageThatIsAddedDuringAPushIsReplacedByIt() {
        Held push = held("b", "1", "pushed");
        process.template().send(DelayMessage.to("a").id("1").payload("x").build());
        join(process.ids().add("a", "1"));
        push.goOn();

        awaitLive("1", "b=pushed");
    }

    @Test
    void entryOfALaterVersionIsKept() {
        redis().writeEntry("1", "2 whatever");

        assertThatThrownBy(() -> process.push("a", "1", "x")).hasCauseInstanceOf(TopicConflictException.class);
        assertThatThrownBy(() -> process.end("1")).hasMessageContaining("2 whatever");
        redis().sweep(Duration.ZERO);
        assertThat(redis().entry("1")).contains("2 whatever");
        assertThat(process.live("1", TOPICS)).isEmpty();
    }

    @Test
    void sweepRemovesEntriesOfEndedIds() {
        process.push("a", "1", "x");
        process.push("b", "2", "y");
        process.template().cancel("a", "1");

        redis().sweep(IdIndex.GRACE, "1");
        assertThat(redis().entry("1")).isPresent();
        redis().sweep(Duration.ZERO, "1");
        assertThat(redis().entry("1")).isEmpty();
        assertThat(process.found("2")).contains("b=y");

        process.end("2");
        redis().sweep(Duration.ZERO);
        assertThat(keys()).noneMatch(key -> key.startsWith("dq:{ids."));
    }

    @Test
    void oneProcessSweepsABucketPerInterval() {
        process.push("a", "1", "x");
        process.template().cancel("a", "1");
        IdSweep early = redis().sweep(IdIndex.GRACE, Duration.ofHours(1), 0);
        IdSweep another = redis().sweep(Duration.ZERO, Duration.ofHours(1), 0);
        for (int i = 0; i < IdIndex.BUCKETS; i++) {
            assertThat(early.run()).isEqualTo(Duration.ofHours(1).dividedBy(256));
            another.run();
        }
        assertThat(redis().entry("1")).isPresent();
    }

    @Test
    void pagesOfABucketAreSweptWithoutDelay() {
        List<String> ids = idsOfOneBucket(300);
        ids.stream().map(id -> process.ids().add("a", id)).toList().forEach(IdsOnRedis::join);

        IdSweep sweep = redis().sweep(Duration.ZERO, Duration.ofHours(1), 0);
        int pages = 1;
        while (sweep.run().isZero()) {
            pages++;
        }

        assertThat(pages).isGreaterThan(1);
        assertThat(ids).allSatisfy(id -> assertThat(redis().entry(id)).isEmpty());
    }

    @Test
    void findRemovesAnOldEntryWithoutMessage() {
        process.push("a", "1", "x");
        process.template().cancel("a", "1");

        assertThat(process.found("1")).isEmpty();
        assertThat(redis().entry("1")).isPresent();
        assertThat(redis().process(redis().scripts, Duration.ZERO).found("1")).isEmpty();
        assertThat(redis().entry("1")).isEmpty();
    }

    /** Clients with different topics, of which none may replace a message of another. */
    @Test
    void oneOfConcurrentPushesToTopicsOfDifferentClientsIsAccepted() {
        List<Pusher> processes = TOPICS.stream().map(topic -> redis().process()).toList();
        TOPICS.forEach(topic -> process.push(topic, "registers the topic", "x"));
        List<List<CompletableFuture<Boolean>>> accepted = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String id = "limited" + i;
            List<CompletableFuture<Boolean>> pushes = new ArrayList<>();
            for (int client = 0; client < TOPICS.size(); client++) {
                pushes.add(pushWithin(processes.get((client + i) % 3), TOPICS.get((client + i) % 3), id));
            }
            accepted.add(pushes);
        }
        for (int i = 0; i < accepted.size(); i++) {
            String id = "limited" + i;
            List<String> expected = new ArrayList<>();
            for (int client = 0; client < TOPICS.size(); client++) {
                if (join(accepted.get(i).get(client))) {
                    expected.add(TOPICS.get((client + i) % 3) + "=x");
                }
            }
            assertThat(expected).as(id).hasSize(1);
            awaitLive(id, expected.get(0));
            assertThat(process.found(id)).contains(expected.get(0));
            assertThat(process.end(id)).isTrue();
        }
    }

    @Test
    void aPushInProgressPreventsThatOfAClientWithOtherTopics() {
        Held first = held("a", "1", "first");
        assertThat(join(process.pushWithin(process.ids().within("b"::equals), "b", "1", "y")))
                .contains("a");
        first.goOn();

        assertThat(process.live("1", TOPICS)).containsExactly("a=first");
        process.push("b", "1", "may");
        awaitLive("1", "b=may");
    }

    /** Without grace, the first push is not considered to be in progress. */
    @Test
    void aPushWithdrawsItsMessageIfOneOfAnotherClientIsStoredMeanwhile() {
        Held late = held("a", "1", "late");
        Pusher other = redis().process(redis().scripts, Duration.ZERO);

        CompletableFuture<Optional<String>> pushed = other.ids()
                .within("b"::equals)
                .push("b", "1", () -> CompletableFuture.completedFuture(null), version -> {
                    late.gate.complete(null);
                    CompletableFuture<Success> sent = late.pushed.thenCompose(
                            stored -> other.template().sendAsync(message("b", "1", "y", version)));
                    return sent;
                });

        assertThat(join(pushed)).contains("a");
        assertThat(process.live("1", TOPICS)).containsExactly("a=late");
    }

    /** Pushes as a client with one topic. Returns whether the push is accepted. */
    private static CompletableFuture<Boolean> pushWithin(Pusher pusher, String topic, String id) {
        return pusher.pushWithin(pusher.ids().within(topic::equals), topic, id, "x")
                .thenApply(Optional::isEmpty);
    }

    /** Concurrent pushes and ends of a few ids in a few topics, by several processes, while one sweeps without grace. */
    @Test
    void lastPushWinsInAnyRace() {
        race(40, 8);
    }

    private void race(int actions, int ids) {
        List<IdHistory> histories = Stream.generate(IdHistory::new).limit(ids).toList();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int thread = 0; thread < 6; thread++) {
            Pusher own = redis().process();
            Random random = new Random(thread);
            String name = "t" + thread;
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            new Thread(() -> tell(end, () -> race(own, name, random, actions, histories)), name).start();
        }
        for (int i = 0; !ends.stream().allMatch(CompletableFuture::isDone); i++) {
            redis().sweep(Duration.ZERO, "r" + i % ids);
        }
        ends.forEach(IdsOnRedis::join);
        for (int i = 0; i < ids; i++) {
            String id = "r" + i;
            IdHistory history = histories.get(i);
            await().untilAsserted(() -> {
                List<String> live = process.live(id, TOPICS);
                assertThat(history.explains(live))
                        .as("%s: %s after %s", id, live, history)
                        .isTrue();
                assertThat(process.found(id).stream().toList()).isEqualTo(live);
            });
        }
        for (int i = 0; i < ids; i++) {
            process.end("r" + i);
        }
        redis().sweep(Duration.ZERO);
        redis().sweep(Duration.ZERO);
        assertThat(keys()).noneMatch(key -> key.startsWith("dq:{ids."));
    }

    private static void tell(CompletableFuture<Void> end, Runnable action) {
        try {
            action.run();
            end.complete(null);
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }

    private static void race(Pusher own, String name, Random random, int actions, List<IdHistory> histories) {
        for (int i = 0; i < actions; i++) {
            int id = random.nextInt(histories.size());
            String topic = TOPICS.get(random.nextInt(TOPICS.size()));
            if (random.nextInt(5) == 0) {
                histories.get(id).act(null, () -> own.end("r" + id));
            } else {
                String body = name + "." + i;
                histories.get(id).act(topic + "=" + body, () -> own.push(topic, "r" + id, body));
            }
        }
    }
}
