package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.Await;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.Purge;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One call of each script that does all that it can do, to be executed twice and to be stopped. In each somebody attends
 * to dead letters, the caller is {@code w1}, leases end at {@link #END}, and what is due is due soon after T0.
 */
final class Scenarios {

    static final long END = T0 + 30_000;

    private static final long VERSION = 1_700_000_000_000_000L;

    private Scenarios() {}

    /**
     * A call.
     *
     * @param name what it does
     * @param script whose script it runs
     * @param before the state it meets
     * @param call the call
     * @param kept ids that must not vanish, wherever it stops
     */
    record Scenario(
            String name,
            String script,
            ShardState before,
            Function<StoreBench, Object> call,
            Set<String> kept,
            boolean longWay) {

        Scenario(String name, String script, ShardState before, Function<StoreBench, Object> call, Set<String> kept) {
            this(name, script, before, call, kept, false);
        }

        Scenario onLongWay() {
            return new Scenario(name + ", long way", script, before, call, kept, true);
        }

        void begin(StoreBench bench) {
            bench.reset();
            if (longWay) {
                bench.takeLongWay();
            }
            bench.store().enableNotifications(bench.shard()).join();
            bench.given(before);
        }

        @Nullable
        Object run(StoreBench bench) {
            return call.apply(bench);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scenario> all() {
        return Stream.of(usual(), usual().map(Scenario::onLongWay), sends(), polls(), verbs(), deadLetters())
                .flatMap(scenarios -> scenarios);
    }

    /** Calls that take the short way of their script. */
    private static Stream<Scenario> usual() {
        ShardState state = state(
                "leased a -9 w1-1 30000, leased b -9 w1-2 30000, scheduled c -5, " + "scheduled d -4, scheduled e 5");
        return Stream.of(
                new Scenario(
                        "send one",
                        "send",
                        state,
                        bench -> bench.send(Sends.after("f", 3)),
                        Set.of("a", "b", "c", "d", "e")),
                poll(
                        "claim and acknowledge first attempts",
                        state,
                        poll -> poll.claim(10).acknowledge("a", "w1-1").acknowledge("b", "w1-2"),
                        Set.of("c", "d", "e")),
                poll("claim first attempts", state, poll -> poll.claim(1), Set.of("a", "b", "c", "d", "e")),
                poll(
                        "claim for a receiver",
                        state("leased a -9 w1-1+ 30000, scheduled c -5"),
                        poll -> poll.claimForReceiver().acknowledge("a", "w1-1"),
                        Set.of("c")));
    }

    private static Stream<Scenario> sends() {
        ShardState live = state("retrying b 9 2 E: no, leased c 0 w0-1 30000, scheduled d 3");
        List<OutgoingMessage> messages = List.of(
                Sends.at("a", T0 + 5),
                Sends.message("b", new Due(7, true), OnDuplicate.REPLACE, "m"),
                Sends.message("c", new Due(8, true), OnDuplicate.REPLACE, "m"),
                Sends.message("d", new Due(1, true), OnDuplicate.KEEP, "m"));
        List<OutgoingMessage> remembered =
                messages.stream().map(Sends::remembered).toList();
        return Stream.of(
                new Scenario("send", "send", live, bench -> bench.send(messages), Set.of("b", "c", "d")),
                new Scenario("send remembered", "send", live, bench -> bench.send(remembered), Set.of("b", "c", "d")),
                new Scenario(
                        "send until the topic is full",
                        "send",
                        live,
                        bench -> sendUntilFull(bench, messages),
                        Set.of("b", "c", "d")),
                new Scenario(
                        "send remembered until the topic is full",
                        "send",
                        live,
                        bench -> sendUntilFull(bench, remembered),
                        Set.of("b", "c", "d")),
                coalescing());
    }

    private static Scenario coalescing() {
        Due debounced = new Due(7, true, 9);
        Due later = new Due(6, true);
        List<OutgoingMessage> messages = List.of(
                newer("a", later, OnDuplicate.AFTER_RUNNING),
                newer("b", later, OnDuplicate.AFTER_RUNNING),
                newer("c", later, OnDuplicate.AFTER_RUNNING),
                newer("d", debounced, OnDuplicate.REPLACE),
                newer("e", debounced, OnDuplicate.REPLACE),
                newer("f", debounced, OnDuplicate.REPLACE),
                newer("g", later, OnDuplicate.REPLACE));
        return new Scenario(
                "after running and debounce",
                "send",
                state("leased a 0 w0-1 30000, leased b 0 w0-1 30000, successor b 4, "
                        + "retrying c 9 2 E: no, leased d 0 w0-1 30000, scheduled e 3, "
                        + "retrying f 9 2 E: no, successor f 4, leased g 0 w0-1 30000, "
                        + "successor g 4"),
                bench -> bench.send(messages),
                Set.of("a", "b", "c", "d", "e", "f", "g"));
    }

    private static OutgoingMessage newer(String id, Due due, OnDuplicate mode) {
        return OutgoingMessage.of(id, due, mode, "m", MessageLimits.NONE, null, Map.of(), "newer".getBytes(UTF_8));
    }

    /** The topic has room for the first of two further messages. */
    private static Object sendUntilFull(StoreBench bench, List<OutgoingMessage> messages) {
        bench.limit(4);
        List<OutgoingMessage> all = new ArrayList<>(messages);
        all.add(1, Sends.at("f", T0 + 4));
        return bench.send(all);
    }

    private static Stream<Scenario> polls() {
        ShardState due = state("scheduled a -9, retrying b -8 1 E: no, schedule c -7")
                .put("messages", "c", message("+n e=5", 4, 5, "\nc"))
                .put("schedule", "orphan", T0 - 6)
                .put("deliveries", "orphan", "w0-1 1 5 ")
                .and("scheduled d -5, leased both -4 w0-2 30000, schedule both -4");
        ShardState suspects =
                state("suspect a -9 1 /2/0 E: no, suspect b -8 0 /2/0, crashed c -7 0 /2/0, " + "crashed d -6 0 /1/0");
        ShardState held = state("leased a 0 w1-1 30000, leased b 0 w1-1 30000 2 E: old, leased c 0 w1-1 30000");
        ShardState mixed = state("leased a 0 w1-1 30000 2 E: old, leased b 0 w1-1 30000, "
                + "leased c 0 w1-1 30000 2 p3/1/0 E: old, leased d 0 w1-1 30000 1 p1, "
                + "leased e 0 w1-1 30000, leased f 0 w1-1 30000 2 E: old, "
                + "leased g 0 w1-1 30000, leased h 0 w1-1 30000, leased i 0 w0-1 -1, "
                + "scheduled j 0, scheduled k 5");
        ShardState over = state("leased a 0 w0-1 -9, leased b 0 w0-1 -8 3 E: no, leases orphan -7")
                .put("deliveries", "orphan", "w0-1 1 5 ")
                .and("scheduled c 3, leases c -6")
                .put("messages", "d", ShardState.stored("d", T0))
                .and("leases d -5, leased e 0 w0-1 -4, "
                        + "deadLetter e w0-1 0 REQUESTED 1 0 E: no, leased f 0 w0-1 -9 1 /1/0, "
                        + "leased g 0 w0-1 -8 3 /4/2! E: no, leased h 0 w0-1 -7 1 /2/0!");
        ShardState succeeded = state("leased a 0 w1-1 30000, leased b 0 w1-1 30000, leased c 0 w1-1 30000, "
                        + "leased d 0 w1-1 30000, leased e 0 w1-1 30000 2 E: old, "
                        + "leased f 0 w0-1 -1, leased g 0 w0-1 -1 3 /4/2! E: no, "
                        + "retrying h -1 2 E: no, retrying i -1 2 E: no")
                .put("messages", "i", message("+n e=5", 4, 5, "\ni"));
        for (String id : List.of("a", "c", "e", "g", "h")) {
            succeeded.successor(id, T0 + 6);
        }
        for (String id : List.of("d", "f", "i")) {
            succeeded.successor(id, T0 - 6);
        }
        return Stream.of(
                poll("claim", due, poll -> poll.claim(10), Set.of("a", "b", "c", "d", "both")),
                poll("claim a suspect", suspects, poll -> poll.claim(10).claimSuspect(), Set.of("a", "b", "c", "d")),
                poll(
                        "acknowledge",
                        held,
                        poll -> poll.acknowledge("a", "w1-1")
                                .acknowledge("b", "w1-1")
                                .release("c", "w1-1"),
                        Set.of("c")),
                poll(
                        "all at once",
                        mixed,
                        poll -> poll.claim(5)
                                .acknowledge("b", "w1-1")
                                .retry("a", "w1-1", 3)
                                .postpone("c", "w1-1", 0, 0)
                                .postpone("d", "w1-1", 5, 2)
                                .deadLetter("e", "w1-1", DeadLetterCause.REQUESTED)
                                .deadLetter("f", "w1-1", DeadLetterCause.ATTEMPTS_SPENT)
                                .release("g", "w1-1")
                                .renew("h", "w1-1", 90)
                                .release("h", "w1-1")
                                .acknowledge("x", "w1-1")
                                .renew("x", "w1-1", 90),
                        Set.of("a", "c", "d", "e", "f", "g", "h", "i", "j", "k")),
                poll(
                        "successors",
                        succeeded,
                        poll -> poll.claim(10)
                                .acknowledge("a", "w1-1")
                                .acknowledge("b", "w1-1")
                                .retry("c", "w1-1", 3)
                                .release("d", "w1-1")
                                .deadLetter("e", "w1-1", DeadLetterCause.REQUESTED),
                        Set.of("a", "c", "d", "e", "f", "g", "h", "i")),
                poll("reclaim", over, poll -> poll, Set.of("a", "b", "c", "d", "e", "f", "g", "h")),
                limited(
                        "claim and settle in a topic with limits",
                        poll -> poll.claim(10).acknowledge("a", "w1-1").release("b", "w1-2", 4)),
                limited("hold", poll -> poll.claim(10).hold("a", "w1-1", 6)));
    }

    /** A poll of a topic with two places and a message each second. */
    private static Scenario limited(String name, UnaryOperator<Polls> poll) {
        ShardState state = state(
                "leased a -9 w1-1 30000, leased b -9 w1-2 30000, scheduled c -5, " + "scheduled d -4, scheduled e 5");
        return new Scenario(
                name,
                "poll",
                state,
                bench -> {
                    bench.limits("2 1000000 3 0");
                    return bench.poll(poll.apply(Polls.by("w1", 2)));
                },
                Set.of("c", "d", "e"));
    }

    private static Stream<Scenario> verbs() {
        return Stream.of(
                new Scenario(
                        "cancel scheduled",
                        "cancel",
                        state("retrying a 5 1, scheduled b 0"),
                        bench -> bench.cancel("a"),
                        Set.of("b")),
                new Scenario(
                        "cancel leased",
                        "cancel",
                        state("leased a 0 w0-1 30000, scheduled b 0"),
                        bench -> bench.cancel("a"),
                        Set.of("b")),
                new Scenario(
                        "cancel with a successor",
                        "cancel",
                        state("leased a 0 w0-1 30000, successor a 0, scheduled b 0"),
                        bench -> bench.cancel("a"),
                        Set.of("b")),
                new Scenario(
                        "cancel scheduled, up to a version",
                        "cancel",
                        state("retrying a 5 1, scheduled b 0"),
                        Scenarios::cancelUpToVersion,
                        Set.of("b")),
                new Scenario(
                        "cancel leased, up to a version",
                        "cancel",
                        state("leased a 0 w0-1 30000, scheduled b 0"),
                        Scenarios::cancelUpToVersion,
                        Set.of("b")),
                new Scenario(
                        "finish with a successor",
                        "cancel",
                        state("leased a 0 w0-1 30000, successor a 0, scheduled b 0"),
                        bench -> Await.result(
                                bench.store().cancelUpTo(bench.shard(), "a", VERSION, true, Durability.NONE)),
                        Set.of("a", "b")),
                new Scenario(
                        "cancel scheduled, remembered",
                        "cancel",
                        state("retrying a 5 1, scheduled b 0"),
                        Scenarios::cancelRemembered,
                        Set.of("b")),
                new Scenario(
                        "cancel leased, remembered",
                        "cancel",
                        state("leased a 0 w0-1 30000, scheduled b 0"),
                        Scenarios::cancelRemembered,
                        Set.of("b")),
                new Scenario(
                        "reschedule",
                        "reschedule",
                        state("retrying a 5 1, scheduled b 0"),
                        bench -> bench.reschedule("a", new Due(2, true)),
                        Set.of("a", "b")));
    }

    private static Object cancelRemembered(StoreBench bench) {
        Memory memory = new Memory("n1", Duration.ofMinutes(1));
        return Await.result(bench.store().cancel(bench.shard(), "a", memory, Durability.NONE));
    }

    private static Object cancelUpToVersion(StoreBench bench) {
        try {
            return bench.store()
                    .cancelUpTo(bench.shard(), "a", VERSION, false, Durability.NONE)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private static Stream<Scenario> deadLetters() {
        ShardState deadLetters = state("dead a@t 0")
                .put("deadLetters", "a@t", record(T0, "EXPIRED", 0, T0, "", message("+n x=99999 e=5", 4, 5, "\na")))
                .and("notification a@t 0, deadLetter b t 1 REQUESTED 1 0 E: no")
                .put("notifications.messages", "b@t", message("", 5, 5, "\n"))
                .put("notifications.leases", "b@t", END)
                .put("notifications.deliveries", "b@t", "d0-1 1 5 ");
        return Stream.of(
                new Scenario(
                        "replay",
                        "replay",
                        deadLetters,
                        bench -> Await.result(bench.store().replay(bench.shard(), List.of("a@t"), new Due(3, true)))
                                .get(0),
                        Set.of("a@t", "b@t")),
                new Scenario(
                        "replay while its notification is handled",
                        "replay",
                        deadLetters,
                        bench -> Await.result(bench.store().replay(bench.shard(), List.of("b@t"), Due.NOW))
                                .get(0),
                        Set.of("a@t", "b@t")),
                new Scenario(
                        "purge the named",
                        "purge",
                        deadLetters,
                        bench -> Await.result(
                                bench.store().purge(bench.shard(), new Purge.Named(List.of("b@t", "x@t")))),
                        Set.of("a@t")),
                new Scenario(
                        "retention",
                        "purge",
                        deadLetters,
                        bench -> Await.result(bench.store()
                                .purge(bench.shard(), new Purge.Retention(Duration.ofDays(1), 1, 256L << 20))),
                        Set.of("b@t")));
    }

    private static Scenario poll(String name, ShardState before, UnaryOperator<Polls> poll, Set<String> kept) {
        return new Scenario(name, "poll", before, bench -> bench.poll(poll.apply(Polls.by("w1", 2))), kept);
    }
}
