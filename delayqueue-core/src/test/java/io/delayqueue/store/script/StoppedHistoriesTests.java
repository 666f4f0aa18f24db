package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random histories of two ids, in which every fourth script stops before one of its writes. It is repeated after other calls,
 * or never. No two consumers hold an id, what was sent last is handled last, and nothing stays.
 */
class StoppedHistoriesTests {

    private static final int HISTORIES = 60;
    private static final int CALLS = 40;
    private static final int LEASE = 30;
    /** Instead of a payload: the id was cancelled. */
    private static final int NONE = -1;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private final List<Consumer> consumers = new ArrayList<>();
    /** By id, the payloads of which one has to be handled last. */
    private final Map<String, Set<Integer>> expected = new HashMap<>();

    private final Map<String, Integer> handledLast = new HashMap<>();
    private final Set<String> deadLetters = new HashSet<>();
    /** By id, the consumer that handles it. */
    private final Map<String, Consumer> holders = new HashMap<>();

    /** By id, when the lease of the last claim ends unless it is renewed. */
    private final Map<String, Long> ends = new HashMap<>();

    private final StringBuilder log = new StringBuilder();
    private Random random = new Random(0);
    private long now;
    private int payloads;
    private int names;
    /** Whether the last call was stopped. */
    private boolean stopped;

    /** A node or a receiver that polls, and repeats a poll that was stopped. */
    private static final class Consumer {
        final String name;
        final boolean receiver;
        long sequence;
        List<Claim> held = List.of();

        @Nullable
        PollRequest request;

        Consumer(String name, boolean receiver) {
            this.name = name;
            this.receiver = receiver;
        }
    }

    @ParameterizedTest
    @CsvSource({"1,", "2, 1 0 1 0", "3, 0 0 1 3", "4, 2 3000 2 0"})
    void lastMessageIsHandledLast(int seed, @Nullable String limits) {
        for (int i = 0; i < HISTORIES; i++) {
            random = new Random(1000L * seed + i);
            log.setLength(0);
            try {
                begin(limits);
                for (int call = 0; call < CALLS; call++) {
                    callSomething();
                    readDeadLetters();
                }
                handleTheRest();
                check();
            } catch (AssertionError e) {
                throw new AssertionError("history " + i + "\n" + log, e);
            }
        }
    }

    private void begin(@Nullable String limits) {
        bench.reset();
        if (random.nextBoolean()) {
            bench.store().enableNotifications(bench.shard()).join();
        }
        if (limits != null) {
            bench.limits(limits);
        }
        now = T0;
        expected.clear();
        handledLast.clear();
        deadLetters.clear();
        holders.clear();
        consumers.clear();
        consumers.add(newConsumer());
        consumers.add(newConsumer());
    }

    private Consumer newConsumer() {
        return new Consumer("w" + ++names, random.nextInt(3) == 0);
    }

    private void callSomething() {
        int what = random.nextInt(20);
        String id = random.nextInt(3) == 0 ? "b" : "a";
        if (what < 6) {
            send(id);
        } else if (what < 13) {
            poll(consumers.get(random.nextInt(2)));
        } else if (what < 14) {
            cancel(id);
        } else if (what < 15) {
            finish(id);
        } else if (what < 16) {
            Due due = new Due(random.nextInt(20), true);
            log("reschedule " + id);
            callAndPerhapsRepeat("reschedule", () -> bench.reschedule(id, due));
        } else if (what < 17) {
            replay();
        } else {
            now += random.nextInt(25);
            bench.clock(now);
        }
    }

    private void send(String id) {
        int payload = payloads++;
        boolean debounced = random.nextInt(5) == 0;
        Due due = debounced
                ? new Due(1 + random.nextInt(10), true, 11 + random.nextInt(20))
                : new Due(random.nextInt(15), true);
        OnDuplicate mode = debounced ? OnDuplicate.REPLACE : OnDuplicate.values()[random.nextInt(4)];
        MessageLimits limits = random.nextInt(4) > 0
                ? MessageLimits.NONE
                : new MessageLimits(null, null, Duration.ofMillis(10 + random.nextInt(20)), null);
        OutgoingMessage message = OutgoingMessage.of(
                id,
                due,
                mode,
                "n" + payload + "x",
                limits,
                null,
                Map.of(),
                Integer.toString(payload).getBytes(UTF_8));
        log("send " + id + payload + " " + mode + " " + due);
        List<SendReply> reply = callAndPerhapsRepeat("send", () -> bench.send(message));
        if (mode == OnDuplicate.REPLACE && !debounced) {
            holders.remove(id);
        }
        if (reply == null) {
            expected.computeIfAbsent(id, absent -> new HashSet<>(Set.of(NONE))).add(payload);
            return;
        }
        SendReply.Outcome outcome = reply.get(0).outcome();
        if (outcome == SendReply.Outcome.ACCEPTED || outcome == SendReply.Outcome.REPLACED) {
            expected.put(id, new HashSet<>(Set.of(payload)));
        }
    }

    private void cancel(String id) {
        log("cancel " + id);
        CancelOutcome outcome = callAndPerhapsRepeat("cancel", () -> bench.cancel(id));
        if (outcome != null && outcome != CancelOutcome.NOT_FOUND) {
            expected.put(id, new HashSet<>(Set.of(NONE)));
        } else if (stopped) {
            expected.computeIfAbsent(id, absent -> new HashSet<>()).add(NONE);
        }
        holders.remove(id);
    }

    /** As a client of ouqiang/delay-queue does after it has handled the message. */
    private void finish(String id) {
        ShardState state = bench.state();
        String delivery = state.get("deliveries").get(id);
        String message = state.get("messages").get(id);
        if (delivery == null || message == null || delivery.startsWith("- 0 ") || delivery.startsWith("\0")) {
            return;
        }
        log("finish " + id);
        handledLast.put(id, payloadOf(message));
        holders.remove(id);
        callAndPerhapsRepeat(
                "cancel",
                () -> Await.result(
                        bench.store().cancelUpTo(bench.shard(), id, DelayMessage.MAX_VERSION, true, Durability.NONE)));
    }

    private void replay() {
        Map<String, String> all = bench.state().get("deadLetters");
        if (all.isEmpty()) {
            return;
        }
        String deadLetter = List.copyOf(all.keySet()).get(random.nextInt(all.size()));
        String id = deadLetter.substring(0, 1);
        int payload = payloadOf(all.get(deadLetter));
        boolean live = bench.state().get("messages").containsKey(id);
        log("replay " + deadLetter);
        List<ReplayOutcome> outcomes = callAndPerhapsRepeat(
                "replay", () -> Await.result(bench.store().replay(bench.shard(), List.of(deadLetter), Due.NOW)));
        if (outcomes != null && outcomes.get(0) == ReplayOutcome.REPLAYED) {
            // if the message is still live, because its dead-lettering was stopped, its successor follows
            if (!live) {
                expected.put(id, new HashSet<>(Set.of(payload)));
            }
            deadLetters.remove(deadLetter);
        } else if (stopped) {
            expected.computeIfAbsent(id, absent -> new HashSet<>()).add(payload);
        }
    }

    private void readDeadLetters() {
        bench.state().get("deadLetters").forEach((deadLetter, record) -> {
            if (deadLetters.add(deadLetter)) {
                log("dead " + deadLetter + " with " + payloadOf(record));
                handledLast.put(deadLetter.substring(0, 1), payloadOf(record));
            }
        });
    }

    private static int payloadOf(String stored) {
        return Integer.parseInt(stored.substring(stored.lastIndexOf('\n') + 1));
    }

    private void poll(Consumer consumer) {
        PollRequest request = consumer.request == null ? settleSome(consumer, false) : consumer.request;
        consumer.request = request;
        PollReply reply = call("poll", () -> Polls.poll(bench.store(), bench.shard(), request));
        if (reply != null) {
            read(consumer, reply);
        } else if (random.nextInt(3) == 0) {
            log(consumer.name + " dies");
            holders.values().removeIf(consumer::equals);
            consumers.set(consumers.indexOf(consumer), newConsumer());
        }
    }

    private PollRequest settleSome(Consumer consumer, boolean all) {
        Polls poll = Polls.by(consumer.name, ++consumer.sequence).handlers(5);
        poll.gap(Duration.ofHours(1)).lease(Duration.ofMillis(LEASE));
        if (consumer.receiver) {
            poll.claimForReceiver();
        } else {
            poll.claimSuspect();
        }
        poll.claim(1 + random.nextInt(2));
        log("poll " + consumer.name);
        List<Claim> kept = new ArrayList<>();
        for (Claim claim : consumer.held) {
            if (!settles(poll, claim, all ? 0 : random.nextInt(9))) {
                kept.add(claim);
            } else if (holders.get(claim.id()) == consumer) {
                holders.remove(claim.id());
            }
        }
        consumer.held = kept;
        return poll.build();
    }

    private boolean settles(Polls poll, Claim claim, int how) {
        String id = claim.id();
        String token = claim.token();
        log.append(' ').append(id).append(':').append(how);
        switch (how) {
            case 0, 1, 2 -> {
                poll.acknowledge(id, token);
                if (bench.state().get("deliveries").getOrDefault(id, "").startsWith(token)) {
                    handledLast.put(id, payload(claim));
                }
            }
            case 3 -> poll.retry(id, token, random.nextInt(10));
            case 4 -> poll.postpone(id, token, random.nextInt(10), 2);
            case 5 -> poll.release(id, token);
            case 6 -> poll.deadLetter(id, token, DeadLetterCause.REQUESTED);
            case 7 -> poll.renew(id, token, LEASE);
            default -> {}
        }
        return how < 7;
    }

    private void read(Consumer consumer, PollReply reply) {
        consumer.request = null;
        List<Claim> held = new ArrayList<>(consumer.held);
        Map<String, String> leases = bench.state().get("leases");
        for (Claim claim : reply.claims()) {
            log(consumer.name + " claims " + claim.id() + payload(claim));
            Consumer holder = holders.put(claim.id(), consumer);
            assertThat(holder == null || ends.getOrDefault(claim.id(), 0L) <= now)
                    .as("claimed while no one holds it")
                    .isTrue();
            ends.put(claim.id(), Long.parseLong(leases.getOrDefault(claim.id(), "0")));
            held.add(claim);
        }
        consumer.held = held;
    }

    private static int payload(Claim claim) {
        return Integer.parseInt(new String(claim.envelope().payload(), UTF_8));
    }

    private void handleTheRest() {
        Consumer last = new Consumer("w" + ++names, false);
        now += 100;
        for (int i = 0; i < 40; i++) {
            bench.clock(now);
            PollRequest request = settleSome(last, true);
            read(last, Polls.poll(bench.store(), bench.shard(), request));
            readDeadLetters();
            now += 9;
        }
    }

    private void check() {
        expected.forEach((id, payloads) -> {
            if (!payloads.contains(NONE)) {
                assertThat(payloads).as("handled last of " + id).contains(handledLast.getOrDefault(id, NONE));
            }
        });
        ShardState state = bench.state();
        assertThat(List.of("schedule", "leases", "messages", "deliveries"))
                .allSatisfy(key -> assertThat(state.get(key)).isEmpty());
    }

    /** Returns null if the call was stopped. */
    private <T> @Nullable T call(String script, Supplier<T> call) {
        stopped = false;
        if (random.nextInt(4) > 0) {
            return call.get();
        }
        List<T> result = new ArrayList<>();
        bench.stoppedBefore(script, random.nextInt(12));
        stopped = bench.stops(() -> result.add(call.get()));
        bench.undisturbed();
        log.append(stopped ? " stopped" : "");
        return stopped ? null : result.get(0);
    }

    /** Returns null if the call was stopped and is not repeated. */
    private <T> @Nullable T callAndPerhapsRepeat(String script, Supplier<T> call) {
        T result = call(script, call);
        return result == null && random.nextBoolean() ? call.get() : result;
    }

    private void log(String line) {
        log.append('\n').append(now - T0).append(' ').append(line);
    }
}
