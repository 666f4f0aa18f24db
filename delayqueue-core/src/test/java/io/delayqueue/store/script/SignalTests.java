package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.Await;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which signals the scripts publish: a head that became earlier, due messages left. */
class SignalTests {

    private static final String QUEUE = "orders:0.0";

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    record Signalled(String rule, ShardState before, Consumer<StoreBench> call, List<String> signals) {
        @Override
        public String toString() {
            return rule;
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"sends", "polls", "others"})
    void published(Signalled row) {
        bench.given(row.before);
        assertThat(bench.signals(store -> row.call.accept(bench))).isEqualTo(row.signals);
    }

    static Stream<Signalled> sends() {
        return Stream.of(
                head("send to an empty shard", new ShardState(), send(Sends.at("a", T0 + 9)), T0 + 9),
                head("send before the head", state("scheduled x 10"), send(Sends.at("a", T0 + 9)), T0 + 9),
                none("send with the head", state("scheduled Z 9"), send(Sends.at("a", T0 + 9))),
                head(
                        "send with the head, before it in the order of ids",
                        state("scheduled x 9"),
                        send(Sends.at("a", T0 + 9)),
                        T0 + 9),
                none("send behind the head", state("scheduled x 8"), send(Sends.at("a", T0 + 9))),
                none(
                        "a duplicate",
                        state("leased a 0 w1-1 0"),
                        send(Sends.message("a", Due.NOW, OnDuplicate.REJECT, "other"))),
                head(
                        "a batch whose ids are not in order",
                        new ShardState(),
                        send(Sends.at("b", T0 + 9), Sends.at("c", T0 + 9), Sends.at("a", T0 + 9)),
                        T0 + 9),
                none(
                        "a batch behind the head",
                        state("scheduled x 8"),
                        send(Sends.at("b", T0 + 9), Sends.at("a", T0 + 9))),
                head(
                        "a batch: its first",
                        new ShardState(),
                        send(Sends.at("a", T0 + 9), Sends.at("b", T0 + 3)),
                        T0 + 3));
    }

    static Stream<Signalled> polls() {
        ShardState leased = state("leased a -5 w1-1 30000");
        return Stream.of(
                none("idle", state("scheduled x 5"), poll(poll -> poll.claim(9))),
                none("a claim", state("scheduled x 0"), poll(poll -> poll.claim(9))),
                head("retry", leased, poll(poll -> poll.retry("a", "w1-1", 7)), T0 + 7),
                none(
                        "retry behind the head",
                        state("leased a 0 w1-1 9, scheduled x 7"),
                        poll(poll -> poll.retry("a", "w1-1", 7))),
                head("release", leased, poll(poll -> poll.release("a", "w1-1")), T0 - 5),
                head("reclaim", state("leased a -5 w0-1 -1"), poll(poll -> poll), T0),
                none("acknowledge", leased, poll(poll -> poll.acknowledge("a", "w1-1"))),
                none(
                        "dead-letter, nobody attends",
                        leased,
                        poll(poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.REQUESTED))),
                new Signalled(
                        "dead-letter, somebody attends",
                        leased,
                        bench -> {
                            bench.store().enableNotifications(bench.shard()).join();
                            poll(poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.REQUESTED))
                                    .accept(bench);
                        },
                        List.of("h " + QUEUE + ":notifications " + T0)),
                left("left after a claim", 2, poll(poll -> poll.claim(1).signalDueMessagesLeft())),
                left("left after an idle poll", 1, poll(poll -> poll.signalDueMessagesLeft())),
                new Signalled(
                        "a suspect among the due messages",
                        state("crashed a 0 0 /2/0"),
                        poll(poll -> poll.claim(1).signalDueMessagesLeft()),
                        List.of("s " + QUEUE + " w1")),
                none(
                        "nothing left",
                        state("scheduled x 0"),
                        poll(poll -> poll.claim(1).signalDueMessagesLeft())),
                none("left, but no signal requested", state("scheduled x 0"), poll(poll -> poll)));
    }

    static Stream<Signalled> others() {
        ShardState scheduled = state("scheduled a 50, scheduled x 40");
        ShardState deadLetter = state("deadLetter a w1-1 0 REQUESTED 1 0, scheduled x 40");
        return Stream.of(
                head("reschedule before the head", scheduled, reschedule(39), T0 + 39),
                none("reschedule behind the head", scheduled, reschedule(41)),
                head("replay before the head", deadLetter, replay(39), T0 + 39),
                none("replay behind the head", deadLetter, replay(41)),
                none("cancel", scheduled, bench -> bench.cancel("x")),
                new Signalled(
                        "cancel of what is leased",
                        leased("a b"),
                        bench -> bench.cancel("a b"),
                        List.of("r " + QUEUE + " a b")),
                new Signalled(
                        "cancel of what is leased, up to a version",
                        leased("a"),
                        bench -> bench.store()
                                .cancelUpTo(bench.shard(), "a", DelayMessage.MAX_VERSION, false, Durability.NONE)
                                .join(),
                        List.of("r " + QUEUE + " a")),
                new Signalled(
                        "replacing what is leased",
                        leased("a").scheduled("x", T0),
                        send(replacing("a")),
                        List.of("r " + QUEUE + " a")),
                new Signalled(
                        "replacing several, one of them leased",
                        leased("a").scheduled("x", T0).scheduled("b", T0 + 1),
                        send(replacing("a"), replacing("b")),
                        List.of("r " + QUEUE + " ")),
                none("replacing what is scheduled", scheduled, send(replacing("a"))),
                new Signalled(
                        "retry of a notification, in its own queue",
                        new ShardState()
                                .put("notifications.messages", "a@t", ShardState.message("", 5, 5, "\n"))
                                .put("notifications.leases", "a@t", T0 + 9)
                                .put("notifications.deliveries", "a@t", "d1-1 1 5 "),
                        bench -> Polls.poll(
                                bench.store(),
                                bench.shard().notifications(),
                                Polls.by("d1", 2).retry("a@t", "d1-1", 4).build()),
                        List.of("h " + QUEUE + ":notifications " + (T0 + 4))));
    }

    private static ShardState leased(String id) {
        return new ShardState().leased(id, T0 - 5, "w1-1", T0 + 30_000);
    }

    private static Signalled head(String rule, ShardState before, Consumer<StoreBench> call, long due) {
        return new Signalled(rule, before, call, List.of("h " + QUEUE + " " + due));
    }

    private static Signalled none(String rule, ShardState before, Consumer<StoreBench> call) {
        return new Signalled(rule, before, call, List.of());
    }

    private static Signalled left(String rule, int due, Consumer<StoreBench> call) {
        ShardState before = new ShardState();
        for (int i = 0; i < due; i++) {
            before.scheduled("m" + i, T0);
        }
        return new Signalled(rule, before, call, List.of("s " + QUEUE + " w1"));
    }

    private static Consumer<StoreBench> send(OutgoingMessage... messages) {
        return bench -> bench.send(messages);
    }

    private static OutgoingMessage replacing(String id) {
        return Sends.message(id, new Due(99, true), OnDuplicate.REPLACE, "other");
    }

    private static Consumer<StoreBench> poll(UnaryOperator<Polls> change) {
        return bench -> bench.poll(change.apply(Polls.by("w1", 3)));
    }

    private static Consumer<StoreBench> reschedule(long delay) {
        return bench -> bench.reschedule("a", new Due(delay, true));
    }

    private static Consumer<StoreBench> replay(long delay) {
        return bench -> Await.result(bench.store().replay(bench.shard(), List.of("a@w1-1"), new Due(delay, true)))
                .get(0);
    }
}
