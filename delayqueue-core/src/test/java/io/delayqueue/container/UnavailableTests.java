package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.test.redis.RedisServerProcess;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A listener whose handlers need a system that is unavailable. */
class UnavailableTests extends HandlingTest {

    private static final int CONCURRENCY = 4;
    private static final ListenerOptions OPTIONS =
            QUICK.toBuilder().concurrency(CONCURRENCY).build();

    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean available;

    UnavailableTests(RedisServerProcess redis) {
        super(redis);
    }

    private DeliveryHandler needingASystem() {
        return deliveries -> {
            calls.incrementAndGet();
            if (!available) {
                throw new DependencyUnavailableException("the bank is unavailable");
            }
            return null;
        };
    }

    private void send(int count) {
        send(IntStream.range(0, count).mapToObj(i -> "m" + i).toArray(String[]::new));
    }

    private TopicCounts counts() {
        return Await.result(node.store.count(SHARD)).counts();
    }

    private void awaitState(ListenerContainer listener, State state) {
        Awaitility.await().until(() -> listener.status().state() == state);
    }

    @Test
    void noAttemptCountsAndEachMessageIsHandledWhenTheSystemIsAvailable() {
        ListenerContainer listener = node.listen("t", OPTIONS, needingASystem());
        send(300);
        awaitState(listener, State.UNAVAILABLE);
        int before = calls.get();
        time.jump(Circuit.FIRST_DELAY.multipliedBy(2));
        Awaitility.await().until(() -> calls.get() > before); // a probe
        awaitState(listener, State.UNAVAILABLE);
        assertThat(listener.status().unavailable().failure())
                .isEqualTo("DependencyUnavailableException: the bank is unavailable");
        assertThat(calls).hasValueLessThanOrEqualTo(CONCURRENCY + 2);
        Awaitility.await().until(() -> counts().leased() <= 1);

        available = true;
        awaitWhileTimePasses("acknowledged", 300);
        assertThat(happenings.of("acknowledged")).allMatch(each -> each.endsWith(" 1"));
        assertThat(happenings.of("retried")).isEmpty();
        assertThat(happenings.of("deadLettered")).isEmpty();
        awaitState(listener, State.RUNNING);
        assertThat(listener.status().unavailable()).isNull();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void probesDoNotChangeTheAssignment(CapturedOutput output) {
        ListenerContainer listener = node.listen("t", OPTIONS, needingASystem());
        send(10);
        for (int probe = 1; probe <= 3; probe++) {
            awaitState(listener, State.UNAVAILABLE);
            int before = calls.get();
            time.jump(Circuit.LONGEST_DELAY);
            Awaitility.await().until(() -> calls.get() > before);
        }
        assertThat(assignments(output)).isOne();

        available = true;
        awaitWhileTimePasses("acknowledged", 10);
        Awaitility.await().until(() -> assignments(output) == 2);
    }

    private static long assignments(CapturedOutput output) {
        return output.toString()
                .lines()
                .filter(line -> line.contains(" sweeps topic t "))
                .count();
    }

    @Test
    void exceptionsOfTheOptionMatchSubclassesAndCauses() {
        ListenerOptions options = OPTIONS.toBuilder()
                .unavailableOn(List.of(java.net.SocketException.class))
                .build();
        node.listen("t", options, deliveries -> {
            if (!available) {
                throw new IllegalStateException(new ConnectException("refused"));
            }
            return null;
        });
        send("m");
        await("released m");
        available = true;
        awaitWhileTimePasses("acknowledged m 1", 1);
    }

    @Test
    void notRetryableTakesPrecedence() {
        ListenerOptions options = OPTIONS.toBuilder()
                .notRetryable(List.of(ConnectException.class))
                .unavailableOn(List.of(java.io.IOException.class))
                .build();
        node.listen("t", options, deliveries -> {
            throw new ConnectException("refused");
        });
        send("m");
        await("deadLettered m " + DeadLetterCause.NOT_RETRYABLE);
    }

    @Test
    void messageThatAloneFailsLikeThisBecomesADeadLetter() {
        node.listen("t", OPTIONS, deliveries -> {
            if (deliveries.get(0).id().equals("bad")) {
                throw new DependencyUnavailableException("a host that only this message names");
            }
            return null;
        });
        send("bad");
        await("released bad");
        for (int good = 1; happenings.count("deadLettered") == 0; good++) {
            send("good" + good);
            awaitWhileTimePasses("acknowledged", good);
        }
        assertThat(happenings.of("deadLettered")).containsExactly("deadLettered bad ATTEMPTS_SPENT");
        assertThat(deadLetterOf("bad").attempts()).isEqualTo(3);
    }

    @Test
    void messageWhoseCircuitFailsRecordsTheFailureOfItsHandler() {
        TaskPool pool = new TaskPool(2, DaemonThreads.factory(Thread::new, "task"), System::nanoTime, (task, e) -> {});
        replace(QueueNode.on(redis.port()).tasks((name, task) -> {
            if (name.endsWith(" probes")) {
                throw new InternalError("unable to create native thread, says the test");
            }
            return pool.schedule(name, task);
        }));
        node.listen("t", OPTIONS.toBuilder().maxAttempts(1).build(), needingASystem());
        send("m");
        await("deadLettered m ATTEMPTS_SPENT");
        assertThat(deadLetterOf("m").failure().summary())
                .isEqualTo(DependencyUnavailableException.class.getName() + ": the bank is unavailable");
        stopNodes();
        pool.close();
    }

    @Test
    void failureInABatchReleasesAllOfIt() {
        node.listen("t", OPTIONS.toBuilder().batchSize(10).build(), needingASystem());
        send(40);
        Awaitility.await().until(() -> calls.get() > 0);
        available = true;
        awaitWhileTimePasses("acknowledged", 40);
        assertThat(happenings.of("retried")).isEmpty();
    }
}
