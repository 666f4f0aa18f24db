package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Three nodes with a listener of one topic, some of which fail. */
class FailingNodeTests extends NodeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ListenerOptions OPTIONS = ListenerOptions.DEFAULTS.toBuilder()
            .retryPolicy(new Backoff.Fixed(SECOND))
            .maxAttempts(1000)
            .concurrency(2)
            .prefetch(0)
            .build();
    /** Time in which all nodes have sent several heartbeats. */
    private static final int HEARTBEATS = 11;

    /** Names of the nodes whose handlers fail. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    private RuntimeException failure = new IllegalStateException("this node has no route to the bank");
    private final List<ListenerContainer> listeners = new ArrayList<>();
    private final List<AtomicInteger> calls = new ArrayList<>();
    private int sent;

    FailingNodeTests(RedisServerProcess redis) {
        super(redis);
    }

    private void startNodes(int count, EngineSettings settings) {
        for (int i = 0; i < count; i++) {
            QueueNode node = add(driven().settings(settings));
            AtomicInteger called = new AtomicInteger();
            calls.add(called);
            listeners.add(node.listen("t", OPTIONS, deliveries -> {
                called.incrementAndGet();
                if (failing.contains(node.name)) {
                    throw failure;
                }
                return null;
            }));
        }
        await().until(() -> assignable() == count && nodes.stream().allMatch(node -> node.signals.confirmed()));
    }

    /** Lets the node fail that sweeps the shard, and returns its index. */
    private int failAssigned() {
        String assigned = nodes.get(0).directory.read().assignedNodes("t", 1).get(0);
        failing.add(assigned);
        return nodes.stream().map(node -> node.name).toList().indexOf(assigned);
    }

    /** Number of nodes among which the shard is assigned. */
    private long assignable() {
        return nodes.get(0).directory.read().nodes().stream()
                .filter(node -> node.assignable().contains("t"))
                .count();
    }

    private State state(int node) {
        return listeners.get(node).status().state();
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            nodes.get(0).template.send(message("t", "m" + sent++));
        }
    }

    private void sendEachSecond(int perSecond, int seconds) {
        for (int second = 0; second < seconds; second++) {
            send(perSecond);
            time.pass(SECOND, SECOND);
        }
    }

    /** The messages that fail are retried each second. */
    private void assertAllStayRunning() {
        send(8);
        for (int second = 0; second < HEARTBEATS; second++) {
            time.pass(SECOND, SECOND);
            assertThat(listeners)
                    .extracting(listener -> listener.status().state())
                    .containsOnly(State.RUNNING);
        }
    }

    private void sendUntil(int node, State state) {
        await().until(() -> {
            sendEachSecond(5, 1);
            return state(node) == state;
        });
    }

    @Test
    void nodeThatFailsAloneTakesOneMessageASecond() {
        startNodes(3, EngineSettings.DEFAULTS);
        int bad = failAssigned();
        sendUntil(bad, State.FAILS_ALONE);
        await().until(() -> listeners.get(bad).status().running() == 0);
        assertThat(listeners)
                .extracting(ListenerContainer::status)
                .satisfiesOnlyOnce(status ->
                        assertThat(status).extracting(ListenerStatus::state).isEqualTo(State.FAILS_ALONE));

        int before = calls.get(bad).get();
        long since = time.getAsLong();
        sendEachSecond(6, HEARTBEATS);
        long seconds = Duration.ofNanos(time.getAsLong() - since).toSeconds();
        assertThat(calls.get(bad).get() - before).isLessThanOrEqualTo((int) seconds + 2); // one may have begun before
        assertThat(state(bad)).isEqualTo(State.FAILS_ALONE);
        awaitWhileTimePasses("acknowledged", sent);
    }

    @Test
    void otherNodesTakeItsMessagesAtOnce() {
        startNodes(3, EngineSettings.DEFAULTS);
        int bad = failAssigned();
        sendUntil(bad, State.FAILS_ALONE);
        await().until(() -> assignable() == 2);
        awaitWhileTimePasses("acknowledged", sent);
        happenings.clear();
        send(20);
        await().until(() -> happenings.count("acknowledged") >= 19); // a probe may fail
        assertThat(happenings.of("sweepFound")).isEmpty();
    }

    /** The node is never busy, so it signals no other. */
    @Test
    void failingNodeLeavesItsShardsEvenIfItHasTakenAllMessages() {
        startNodes(3, EngineSettings.DEFAULTS);
        failAssigned();
        await().until(() -> {
            sendEachSecond(1, 1);
            return assignable() == 2;
        });
        awaitWhileTimePasses("acknowledged", sent);
    }

    @Test
    void nodeIsBackAtOnceAfterASuccess() {
        startNodes(3, EngineSettings.DEFAULTS);
        int bad = failAssigned();
        sendUntil(bad, State.FAILS_ALONE);
        failing.clear();
        sendUntil(bad, State.RUNNING);
        await().until(() -> assignable() == 3);
        awaitWhileTimePasses("acknowledged", sent);
    }

    @Test
    void noNodeSlowsIfAllFail() {
        startNodes(3, EngineSettings.DEFAULTS);
        await().until(() -> {
            sendEachSecond(12, 1);
            return calls.stream().allMatch(called -> called.get() > FailsAlone.FEWEST);
        });
        awaitWhileTimePasses("acknowledged", sent);
        nodes.forEach(node -> failing.add(node.name));
        assertAllStayRunning();
        failing.clear();
        awaitWhileTimePasses("acknowledged", sent);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void openCircuitOfOneNodeChangesTheAssignmentOnce(CapturedOutput output) {
        failure = new DependencyUnavailableException("the bank");
        startNodes(3, EngineSettings.DEFAULTS);
        int bad = failAssigned();
        sendUntil(bad, State.UNAVAILABLE);
        await().until(() -> assignable() == 2);
        int changes = assignments(output);
        for (int probe = 0; probe < 3; probe++) {
            int before = calls.get(bad).get();
            await().until(() -> {
                send(6);
                time.pass(STEP, STEP);
                return calls.get(bad).get() > before;
            });
        }
        assertThat(assignments(output)).isEqualTo(changes);
        assertThat(assignable()).isEqualTo(2);
    }

    private static int assignments(CapturedOutput output) {
        return (int) output.toString()
                .lines()
                .filter(line -> line.contains("AssignmentLog"))
                .count();
    }

    @Test
    void onlyNodeIsNotSlowed() {
        startNodes(1, EngineSettings.DEFAULTS);
        failAssigned();
        assertAllStayRunning();
        assertThat(assignable()).isOne();
    }

    @Test
    void canBeSwitchedOff() {
        startNodes(2, Pacing.builtIn().slowIfFailingAlone(false).settings());
        failAssigned();
        assertAllStayRunning();
        assertThat(assignable()).isEqualTo(2);
    }
}
