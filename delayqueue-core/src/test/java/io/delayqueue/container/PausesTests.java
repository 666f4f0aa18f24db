package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.Await;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pauses that are kept in Redis: several engines on one Redis. */
class PausesTests extends NodeTest {

    private static final ListenerOptions ONE = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(1)
            .drainTime(Duration.ofSeconds(30))
            .build();
    private static final DeliveryHandler HANDLED = deliveries -> null;

    PausesTests(RedisServerProcess redis) {
        super(redis);
    }

    /** A node that learns of pauses by signals only while a test runs. */
    private QueueNode node() {
        return add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings()));
    }

    private static List<DelayMessage> messages(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> message("t", prefix + i)).toList();
    }

    /** Waits until the node has registered that it is paused for the topic, or resumed. */
    private void awaitSaid(QueueNode node, boolean taking) {
        awaitSaid(node, taking ? "MESSAGES t" : "-MESSAGES t");
    }

    private void awaitSaid(QueueNode node, String line) {
        await().until(() -> String.valueOf(redis.command("HGET", "dq:{nodes}:topics", node.name))
                .lines()
                .anyMatch(line::equals));
    }

    /** Pauses the topic, and waits until a listener of this node is paused. */
    private void pause(QueueNode node, ListenerContainer container) {
        node.directory.pause("t", null, null, "");
        awaitSaid(node, false);
        await().until(() -> isPausedInRedis(container));
    }

    private static boolean isPausedInRedis(ListenerContainer container) {
        return !container.pauses().isEmpty();
    }

    /** Each node handles a message of another topic, while no message of the paused topic is started. */
    private void assertNothingBegins(String what, QueueNode... through) {
        for (QueueNode node : through) {
            String topic = "other-" + node.name + "-" + happenings.count("started");
            node.listen(topic, ONE, HANDLED);
            int before = happenings.count("acknowledged fence");
            node.template.send(message(topic, "fence"));
            await().until(() -> happenings.count("acknowledged fence") > before);
        }
        assertThat(happenings.count("started " + what)).isZero();
    }

    private void awaitHandled(String prefix, int count) {
        await().until(() -> happenings.count("acknowledged " + prefix) == count);
    }

    @Test
    void allNodesPauseAtOnceAndClaimNothingUntilResumed() {
        QueueNode one = node();
        QueueNode other = node();
        ListenerContainer first = one.listen("t", ONE, HANDLED);
        ListenerContainer second = other.listen("t", ONE, HANDLED);
        awaitSaid(one, true);
        awaitSaid(other, true);
        one.template.sendAll(messages("before", 20));
        awaitHandled("before", 20);

        one.directory.pause("t", null, null, "");
        awaitSaid(one, false);
        awaitSaid(other, false);
        assertThat(List.of(first, second)).allMatch(PausesTests::isPausedInRedis);
        assertThat(List.of(first, second)).noneMatch(ListenerContainer::isPaused);
        other.template.sendAll(messages("during", 20));
        assertNothingBegins("during", one, other);
        assertThat(Await.result(one.store.count(SHARD)).counts().ready()).isEqualTo(20);

        other.directory.resume("t", null, null);
        awaitHandled("during", 20);
        awaitSaid(one, true);
        awaitSaid(other, true);
        assertThat(List.of(first, second)).noneMatch(PausesTests::isPausedInRedis);
    }

    @Test
    void runningHandlersContinueAndWaitingDeliveriesAreReleased() throws Exception {
        QueueNode node = node();
        CountDownLatch running = new CountDownLatch(1);
        node.listen("t", ONE, deliveries -> {
            running.countDown();
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
            return null;
        });
        node.template.send(message("t", "running"));
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        node.template.send(message("t", "waiting"));
        await().until(() -> Await.result(node.store.count(SHARD)).counts().leased() == 2);

        node.directory.pause("t", null, null, "");
        await().until(() -> happenings.count("released waiting") == 1);
        assertThat(node.template.find("t", "waiting").orElseThrow().attempts()).isZero();
        release.countDown();
        await().until(() -> happenings.count("acknowledged running") == 1);
        assertThat(happenings.count("started waiting")).isZero();
        node.directory.resume("t", null, null);
        await().until(() -> happenings.count("acknowledged waiting 1") == 1);
    }

    @Test
    void nodesThatStartLaterLearnThePauseBeforeTheyClaim() {
        QueueNode sender = node();
        sender.directory.pause("t", null, null, "");
        sender.template.sendAll(messages("m", 20));
        QueueNode one = node();
        ListenerContainer container = one.listen("t", ONE, HANDLED);
        awaitSaid(one, false);
        await().until(() -> isPausedInRedis(container));
        assertNothingBegins("m", one);

        nodes.remove(one);
        one.close();
        QueueNode restarted = node();
        restarted.listen("t", ONE, HANDLED);
        awaitSaid(restarted, false);
        assertNothingBegins("m", restarted);
        sender.directory.resume("t", null, null);
        awaitHandled("m", 20);
    }

    @Test
    void pauseOfTheApplicationIsIndependent() {
        QueueNode node = node();
        ListenerContainer container = node.listen("t", ONE, HANDLED);
        awaitSaid(node, true);
        container.pause();
        pause(node, container);
        node.template.sendAll(messages("a", 5));

        node.directory.resume("t", null, null);
        await().until(() -> !isPausedInRedis(container));
        assertThat(container.isPaused()).isTrue();
        assertNothingBegins("a", node);
        container.resume();
        awaitHandled("a", 5);
        awaitSaid(node, true);

        pause(node, container);
        container.pause();
        container.resume();
        assertThat(container.isPaused()).isFalse();
        node.template.sendAll(messages("b", 5));
        assertNothingBegins("b", node);
        container.stop().join();
        container.start();
        assertNothingBegins("b", node);
        node.directory.resume("t", null, null);
        awaitHandled("b", 5);
    }

    @Test
    void pausedTopicNotifiesNoDeadLetters() {
        QueueNode node = node();
        ListenerContainer deadLettered = node.container("t", QueueKind.NOTIFICATIONS, ONE, HANDLED);
        deadLettered.start();
        await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        node.directory.pause("t", null, null, "");
        awaitSaid(node, "-NOTIFICATIONS t");
        await().until(() -> isPausedInRedis(deadLettered));
        node.template.send(message("t", "m"));
        Polls.poll(node.store, SHARD, Polls.by("w1", 1).claim(1).build());
        Polls.poll(
                node.store,
                SHARD,
                Polls.by("w1", 2)
                        .deadLetter("m", "w1-1", DeadLetterCause.REQUESTED)
                        .build());
        assertNothingBegins("m@", node);
        node.directory.resume("t", null, null);
        await().until(() -> happenings.count("acknowledged m@w1-1") == 1);
    }

    /** Any node can pause a listener of any other, here that of a node that it does not share a process with. */
    @Test
    void listenerOfAnotherNodeIsPausedAndOthersHandleItsMessages() {
        QueueNode one = node();
        QueueNode other = node();
        ListenerContainer here = one.listen("t", ONE, HANDLED);
        ListenerContainer there = other.listen("t", ONE, HANDLED);
        ListenerContainer beside = other.listen("u", ONE, HANDLED);
        awaitSaid(one, true);
        awaitSaid(other, true);

        one.directory.pause("t", there.id(), other.name, "alice");
        awaitSaid(other, false);
        assertThat(there.pauses()).extracting(Pause::by).containsExactly("alice");
        assertThat(there.status().state()).isEqualTo(State.PAUSED);
        assertThat(there.isPaused()).isFalse();
        assertThat(List.of(here, beside)).noneMatch(PausesTests::isPausedInRedis);
        one.template.sendAll(messages("m", 20));
        awaitHandled("m", 20);
        here.pause();
        awaitSaid(one, false);
        one.template.sendAll(messages("waiting", 5));
        assertNothingBegins("waiting", one, other);

        one.directory.resume("t", there.id(), other.name);
        awaitHandled("waiting", 5);
        assertThat(there.status().state()).isEqualTo(State.RUNNING);
    }

    @Test
    void pauseOfAListenerOnAllNodesSurvivesTheirRestart() {
        QueueNode one = node();
        ListenerContainer listener = one.listen("t", ONE, HANDLED);
        awaitSaid(one, true);
        one.directory.pause("t", listener.id(), null, "");
        awaitSaid(one, false);
        nodes.remove(one);
        one.close();

        QueueNode restarted = node();
        ListenerContainer again = restarted.listen("t", ONE, HANDLED);
        assertThat(again.id()).isEqualTo(listener.id());
        awaitSaid(restarted, false);
        restarted.template.sendAll(messages("m", 5));
        assertNothingBegins("m", restarted);
        ListenerContainer unpaused = restarted.listen("t", ONE, HANDLED);
        assertThat(unpaused.id()).isNotEqualTo(listener.id());
        awaitHandled("m", 5);
    }

    @Test
    void pauseOfANodeDoesNotIncludeItsSuccessor() {
        QueueNode one = node();
        one.listen("t", ONE, HANDLED);
        awaitSaid(one, true);
        one.directory.pause("t", null, one.name, "");
        awaitSaid(one, false);
        one.template.sendAll(messages("m", 5));
        nodes.remove(one);
        one.close();

        QueueNode successor = node();
        ListenerContainer listener = successor.listen("t", ONE, HANDLED);
        awaitHandled("m", 5);
        assertThat(isPausedInRedis(listener)).isFalse();
        assertThat(successor.directory.read().pauses("t"))
                .extracting(Pause::node)
                .containsExactly(one.name);
    }
}
