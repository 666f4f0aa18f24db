package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/**
 * A fault before and after each call to the database and to Redis: the call fails, or the process ends there. Then another
 * process relays. Each committed order has exactly one effect, no other order has any, and one that a committed transaction
 * cancels has none. Messages are handled between the fault and the recovery, so that Redis has to recognise repeats of
 * acknowledged ones.
 */
abstract class OutboxFaultContract extends OutboxTest {

    /** Sends that the committing thread does, then the relay's work. Then both again, with a cancel. */
    private void commitThenRelay(OutboxNode node, Runnable beforeCancel) {
        attempt(() -> node.place(later("z", "withdrawn")));
        attempt(() -> node.place(message("generated id")));
        attempt(() -> node.place(message("x", "given id")));
        attempt(() -> node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("rolled back"));
            status.setRollbackOnly();
        }));
        attempt(() -> node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("two, first"));
            node.insertAndSend(message("y", "two, second"));
        }));
        attempt(node.relay::run);
        attempt(node.relay::run);
        beforeCancel.run();
        attempt(() -> node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "z");
            node.insertAndSend(DelayMessage.to(TOPIC).id("z").payload("instead").build());
        }));
        attempt(node.relay::run);
    }

    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (DataAccessException | TransactionException | IllegalStateException e) {
            // the fault, which the ledger judges
        }
    }

    /** Tests each fault of which the number is a multiple of this. */
    int step() {
        return 1;
    }

    /** A way through the code. */
    private enum Path {
        COMMITS_SEND,
        RELAY_SENDS
    }

    private void walk(Path path, OutboxNode node) {
        Runnable begin = path == Path.RELAY_SENDS ? node.outbox::close : () -> {};
        begin.run();
        commitThenRelay(node, begin);
    }

    /**
     * A fault at a call.
     *
     * @param afterwards whether the call is executed nevertheless
     * @param ends whether the process ends there
     */
    private record Fault(Path path, int call, boolean afterwards, boolean ends) {}

    @FunctionalInterface
    private interface FaultTest {

        void run(Fault fault);
    }

    @TestFactory
    Stream<DynamicTest> eachCommittedOrderHasOneEffectIfACallToTheDatabaseFails() {
        return tests(this::callsOf, this::databaseFault);
    }

    @TestFactory
    Stream<DynamicTest> eachCommittedOrderHasOneEffectIfACallToRedisFails() {
        return tests(
                path -> path == Path.COMMITS_SEND
                        ? List.of("send", "send", "send", "send", "cancel", "send")
                        : List.of("send", "cancel", "send"),
                this::redisFault);
    }

    private Stream<DynamicTest> tests(Function<Path, List<String>> calls, FaultTest test) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path path : Path.values()) {
            List<String> known = calls.apply(path);
            for (int i = 0; i < 4 * known.size(); i++) {
                Fault fault = new Fault(path, i / 4, i % 4 > 1, i % 2 == 1);
                tests.add(DynamicTest.dynamicTest(fault + " " + known.get(i / 4), () -> test.run(fault)));
            }
        }
        return IntStream.range(0, tests.size()).filter(i -> i % step() == 0).mapToObj(tests::get);
    }

    private List<String> callsOf(Path path) {
        return withNode(false, node -> {
            node.faults.failAt(-1, false, false, () -> {});
            walk(path, node);
            List<String> calls = List.copyOf(node.faults.calls());
            assertThat(calls).hasSizeGreaterThan(10);
            return calls;
        });
    }

    private void databaseFault(Fault fault) {
        withNode(false, node -> {
            node.faults.failAt(
                    fault.call(), fault.afterwards(), fault.ends(), fault.ends() ? node.queue::end : () -> {});

            walk(fault.path(), node);

            recoverAndCheck(fault.ends() && node.faults.hasFailed() ? null : node);
            assertThat(node.faults.hasFailed()).isTrue();
            return true;
        });
    }

    /** Walks again if a commit got no reply in time and therefore made fewer sends than usual. */
    private void redisFault(Fault fault) {
        for (int walks = 1; !walkIntoFault(fault); walks++) {
            assertThat(walks).as("walks without the send").isLessThan(10);
        }
    }

    /** Returns whether the send was made. */
    private boolean walkIntoFault(Fault fault) {
        return withNode(true, node -> {
            FaultProxy proxy = node.queue.proxy;
            AtomicInteger calls = new AtomicInteger();
            Runnable fail = () -> {
                proxy.refuse(); // so that the client does not repeat the request unseen
                if (fault.ends()) {
                    node.faults.end();
                }
            };
            CompletionStage<RedisRequest> cut = proxy.cutNextReply(request -> {
                if (calls.getAndIncrement() != fault.call()) {
                    return false;
                }
                if (!fault.afterwards()) {
                    fail.run(); // the connection is reset before the request is forwarded
                }
                return fault.afterwards();
            });
            CompletionStage<?> unused = cut.thenAccept(request -> fail.run());

            walk(fault.path(), node);

            if (!fault.ends()) {
                proxy.pass();
            }
            recoverAndCheck(fault.ends() ? null : node);
            return calls.get() > fault.call();
        });
    }

    private <T> T withNode(boolean shortCommandTimeout, Function<OutboxNode, T> test) {
        empty();
        if (shortCommandTimeout) {
            shortenCommandTimeout();
        }
        try {
            OutboxNode node = node();
            warmUp(node);
            return test.apply(node);
        } finally {
            closeNodes();
        }
    }

    private void warmUp(OutboxNode node) {
        node.place(message("warm-up"));
        node.cancel("warm-up");
        node.relay.run();
        node.relay.run();
    }

    /** Lets the same process continue, unless it has ended, and another one, then compares orders and effects. */
    private void recoverAndCheck(OutboxNode survivor) {
        consumer.consume(TOPIC);
        OutboxNode successor = node();
        await().until(() -> {
            if (survivor != null) {
                survivor.relay.run();
            }
            successor.relay.run();
            return successor.stored() == 0;
        });
        consumer.consume(TOPIC);

        List<String> orders = new JdbcTemplate(successor.faults).queryForList("select id from orders", String.class);
        assertThat(orders).contains("warm-up").doesNotContain("rolled back");
        boolean waits = orders.contains("withdrawn") && !orders.contains("instead");
        assertThat(observer.template().find(TOPIC, "z").isPresent())
                .as("the message that only the last transaction cancels")
                .isEqualTo(waits);
        assertThat(consumer.handled())
                .containsExactlyInAnyOrderElementsOf(orders.stream()
                        .filter(order -> !order.equals("withdrawn"))
                        .toList());
    }
}
