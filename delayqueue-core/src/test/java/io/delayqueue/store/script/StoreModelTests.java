package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Failure;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random calls of several processes against the store and {@link StoreModel}: each answer and each state has to be the
 * same. The long tests take random seeds: to see a failure again, set the system property {@code delayqueue-test.seed}; for
 * another number of seeds, {@code delayqueue-test.seeds}.
 */
class StoreModelTests {

    private static final int FEW_CALLS = 1500;
    private static final int MANY_CALLS = 3000;
    private static final int IDS = 25;
    /** The words of all replies, which the calls of a test have in the end. */
    private static final String[] EVERYTHING =
            ("ACCEPTED REPLACED KEPT DUPLICATE FULL CANCELLED CANCELLED_WHILE_HANDLED NOT_FOUND RESCHEDULED BEING_HANDLED"
                            + " REPLAYED ID_LIVE claimed gone lost reclaimed deadLettered EXPIRED CRASHED REQUESTED")
                    .split(" ");

    private static final CrashLimits CRASHES = new CrashLimits(2, 1);

    private static final List<String> CONSUMERS = List.of("w1", "w2", "w3");

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private final StoreModel model = new StoreModel(T0);
    private final Map<String, Long> sequences = new LinkedHashMap<>();
    private final Map<String, Long> polled = new LinkedHashMap<>();
    private final Map<String, List<Held>> held = new LinkedHashMap<>();
    private final List<OutgoingMessage> sent = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private final Set<String> answers = new TreeSet<>();
    private Random random = new Random(0);
    private boolean holds;

    private record Held(String id, String token) {}

    /** Seeds 1 to 3 and random ones. */
    static LongStream seeds() {
        Long chosen = Long.getLong("delayqueue-test.seed");
        return chosen != null
                ? LongStream.of(chosen)
                : LongStream.concat(
                        LongStream.rangeClosed(1, 3),
                        new Random().longs(Integer.getInteger("delayqueue-test.seeds", 4)));
    }

    @Test
    void theStoreDoesWhatTheModelDoes() {
        compare(1, FEW_CALLS);
    }

    @Test
    void theStoreDoesWhatTheModelDoesOnTheLongWay() {
        bench.takeLongWay();
        compare(2, FEW_CALLS);
    }

    @ParameterizedTest
    @CsvSource({"2, 0, 1", "0, 1000, 2", "3, 500, 1", "0, 0, 1"})
    void theStoreDoesWhatTheModelDoesInATopicWithLimits(int places, int interval, int burst) {
        limit(places, interval, burst);
        compare(3, FEW_CALLS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("long")
    @Tag("core")
    void theStoreDoesWhatTheModelDoesInATopicWithLimitsForAnySeed(long seed) {
        Random limits = new Random(seed);
        limit(limits.nextInt(5), limits.nextInt(3) * 400, 1 + limits.nextInt(4));
        compare(seed, MANY_CALLS);
    }

    private void limit(int places, int interval, int burst) {
        holds = true;
        model.limit(places, interval, burst);
        bench.limits(model.limits());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("long")
    @Tag("core")
    void theStoreDoesWhatTheModelDoesForAnySeed(long seed) {
        if (seed % 2 == 0) {
            bench.takeLongWay();
        }
        compare(seed, MANY_CALLS);
    }

    private void compare(long seed, int calls) {
        System.out.println("seed " + seed);
        random = new Random(seed);
        bench.store().enableNotifications(bench.shard()).join();
        for (QueueKind kind : QueueKind.values()) {
            for (String consumer : CONSUMERS) {
                String expected = pollModel(kind, consumer);
                assertThat(pollStore(kind)).isEqualTo(expected);
            }
        }
        for (int call = 0; call < calls; call++) {
            String expectation = "seed " + seed + ", call " + call;
            one(expectation);
            if (call % 4 == 0 || call == calls - 1) {
                assertThat(bench.state())
                        .as(() -> expectation + " after " + last())
                        .isEqualTo(model.state());
            }
        }
        if (!holds) {
            assertThat(answers).contains(EVERYTHING);
        }
    }

    private String last() {
        return String.join("\n", log.subList(Math.max(0, log.size() - 8), log.size()));
    }

    private void one(String expectation) {
        int choice = random.nextInt(100);
        String expected;
        String actual;
        if (choice < 45) {
            QueueKind kind = random.nextInt(4) == 0 ? QueueKind.NOTIFICATIONS : QueueKind.MESSAGES;
            expected = pollModel(kind, CONSUMERS.get(random.nextInt(CONSUMERS.size())));
            actual = pollStore(kind);
        } else if (choice < 65) {
            List<OutgoingMessage> batch = batch();
            log.add("send " + batch);
            expected = model.send(batch).toString();
            actual = bench.send(batch).stream().map(SendReply::outcome).toList().toString();
        } else if (choice < 80) {
            moveClock();
            return;
        } else {
            String[] both = verb(choice);
            expected = both[0];
            actual = both[1];
        }
        assertThat(actual).as(() -> expectation + " after " + last()).isEqualTo(expected);
        answers.addAll(List.of(actual.split("[^A-Za-z_]+")));
    }

    private void moveClock() {
        int kind = random.nextInt(40);
        // by what nobody takes for a request that was a little late
        long set = kind < 3 ? 5_000L * (random.nextInt(400) - 200) : 0;
        long by = kind < 6 ? random.nextInt(60_000) : random.nextInt(2500);
        model.now += by + set;
        model.passed += by;
        bench.clock(model.now);
        log.add("clock +" + by + (set == 0 ? "" : ", set by " + set));
    }

    private String[] verb(int choice) {
        String id = id();
        Due due = due();
        if (choice < 84) {
            log.add("cancel " + id);
            return both(model.cancel(id), bench.cancel(id));
        } else if (choice < 89) {
            log.add("reschedule " + id + " " + due);
            return both(model.reschedule(id, due), bench.reschedule(id, due));
        } else if (choice < 93) {
            String deadLetter = deadLetter();
            log.add("replay " + deadLetter + " " + due);
            return both(
                    model.replay(deadLetter, due),
                    Await.result(bench.store().replay(bench.shard(), List.of(deadLetter), due))
                            .get(0));
        } else if (choice < 95) {
            Purge purge = purge();
            log.add("purge " + purge);
            return both(model.purge(purge), Await.result(bench.store().purge(bench.shard(), purge)));
        } else if (choice < 98) {
            log.add("count");
            QueueKind kind = random.nextBoolean() ? QueueKind.MESSAGES : QueueKind.NOTIFICATIONS;
            return both(
                    model.count(kind), withoutLimits(Await.result(bench.store().count(shard(kind)))));
        }
        if (choice < 99) {
            log.add("restart");
            bench.restartProcess();
        } else {
            model.limit = random.nextInt(3) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(IDS);
            log.add("limit " + model.limit);
            bench.limits(model.limits());
        }
        return both("", "");
    }

    private static ShardCounts withoutLimits(ShardCounts counts) {
        return new ShardCounts(counts.counts(), null);
    }

    private static String[] both(Object expected, Object actual) {
        return new String[] {expected.toString(), actual.toString()};
    }

    private Purge purge() {
        return switch (random.nextInt(3)) {
            case 0 -> new Purge.Retention(Duration.ofMillis(random.nextInt(90_000)), random.nextInt(20), 256L << 20);
            default -> new Purge.Named(List.of(deadLetter(), deadLetter()));
        };
    }

    private String id() {
        return "m" + random.nextInt(IDS);
    }

    private String deadLetter() {
        List<String> deadLetters = model.deadLetterIds();
        return deadLetters.isEmpty() || random.nextInt(10) == 0
                ? id() + "@x"
                : deadLetters.get(random.nextInt(deadLetters.size()));
    }

    private Due due() {
        return random.nextBoolean()
                ? new Due(random.nextInt(15_000), true)
                : new Due(model.now - 4000 + random.nextInt(20_000), false);
    }

    private List<OutgoingMessage> batch() {
        if (!sent.isEmpty() && random.nextInt(10) == 0) {
            return List.of(sent.get(sent.size() - 1 - random.nextInt(Math.min(10, sent.size()))));
        }
        List<OutgoingMessage> batch = IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(i -> id())
                .distinct()
                .map(this::message)
                .toList();
        sent.addAll(batch);
        return batch;
    }

    private OutgoingMessage message(String id) {
        boolean debounced = random.nextInt(6) == 0;
        int quiet = 1 + random.nextInt(9000);
        Due due = debounced ? new Due(quiet, true, quiet + random.nextInt(9000)) : due();
        OnDuplicate mode = debounced ? OnDuplicate.REPLACE : OnDuplicate.values()[random.nextInt(4)];
        byte[] payload = "p".repeat(random.nextInt(200)).getBytes(UTF_8);
        String nonce = random.nextInt(8) == 0 ? OutgoingMessage.GENERATED_ID : "n" + sent.size() + id;
        return OutgoingMessage.of(id, due, mode, nonce, limits(), null, Map.of(), payload);
    }

    private MessageLimits limits() {
        if (random.nextBoolean()) {
            return MessageLimits.NONE;
        }
        boolean date = random.nextInt(4) == 0;
        return new MessageLimits(
                random.nextBoolean() ? 1 + random.nextInt(4) : null,
                random.nextBoolean() ? Duration.ofMillis(1000 + random.nextInt(9000)) : null,
                !date && random.nextInt(3) == 0 ? Duration.ofMillis(random.nextInt(9000)) : null,
                date ? Instant.ofEpochMilli(model.now + random.nextInt(20_000)) : null);
    }

    private PollRequest request;

    private String pollModel(QueueKind kind, String consumer) {
        request = request(kind, consumer);
        log.add("poll " + kind + " " + request);
        PollReply reply = model.poll(kind, request);
        List<Held> mine = held(kind, consumer);
        // a receipt settles as the token does
        reply.claims()
                .forEach(claim -> mine.add(new Held(
                        claim.id(),
                        random.nextInt(4) == 0 ? LeaseTokens.receipt(claim.token(), claim.id()) : claim.token())));
        return PollReplyText.of(reply);
    }

    /** Sometimes twice, as a client does that sends an unanswered command again. */
    private String pollStore(QueueKind kind) {
        PollReply reply = Polls.poll(bench.store(), shard(kind), request);
        if (random.nextInt(8) == 0) {
            PollReply repeated = Polls.poll(bench.store(), shard(kind), request);
            assertThat(PollReplyText.of(repeated)).as(this::last).isEqualTo(PollReplyText.of(reply));
        }
        return PollReplyText.of(reply);
    }

    private PollRequest request(QueueKind kind, String consumer) {
        long sequence = sequences.merge(kind + consumer, 1L, Long::sum);
        Long last = polled.put(kind + consumer, model.passed);
        List<Held> mine = held(kind, consumer);
        Map<String, Settlement> settlements = new LinkedHashMap<>();
        Map<String, Settlement.Extend> renewals = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i > 0 && !mine.isEmpty(); i--) {
            // now and then it is kept, and settled once more later
            int at = random.nextInt(mine.size());
            Held delivery = random.nextInt(6) == 0 ? mine.get(at) : mine.remove(at);
            if (settlements.containsKey(delivery.id) || renewals.containsKey(delivery.id)) {
                mine.add(delivery);
            } else if (random.nextInt(4) == 0) {
                mine.add(delivery);
                renewals.put(
                        delivery.id,
                        new Settlement.Extend(
                                delivery.id, delivery.token, Duration.ofMillis(1 + random.nextInt(9000))));
            } else {
                settlements.put(delivery.id, settle(delivery));
            }
        }
        return new PollRequest(
                consumer,
                sequence,
                consumer + "-" + Long.toString(sequence, 36),
                new Claiming(
                        random.nextInt(8),
                        200 + random.nextInt(3000),
                        Duration.ofSeconds(4),
                        random.nextInt(3) == 0,
                        random.nextInt(6) == 0,
                        random.nextInt(4)),
                new Reclaiming(1 + random.nextInt(5), 3, CRASHES, Duration.ofSeconds(20), Duration.ofSeconds(5)),
                random.nextBoolean(),
                List.copyOf(settlements.values()),
                List.copyOf(renewals.values()),
                last == null ? null : Duration.ofMillis(model.passed - last));
    }

    private List<Held> held(QueueKind kind, String consumer) {
        return held.computeIfAbsent(kind + consumer, key -> new ArrayList<>());
    }

    private Settlement settle(Held delivery) {
        Failure failure = new Failure("E", "no " + random.nextInt(9), random.nextBoolean() ? "at x\nat y" : null);
        return switch (random.nextInt(8)) {
            case 0 ->
                holds && random.nextInt(4) == 0
                        ? Settlement.Release.holding(
                                delivery.id, delivery.token, Duration.ofMillis(1 + random.nextInt(3000)))
                        : new Settlement.Release(delivery.id, delivery.token);
            case 7 ->
                new Settlement.Release(delivery.id, delivery.token, Duration.ofMillis(random.nextInt(9000)), false);
            case 1, 2 ->
                new Settlement.Retry(delivery.id, delivery.token, Duration.ofMillis(random.nextInt(9000)), failure);
            case 3 -> new Settlement.ToDeadLetters(delivery.id, delivery.token, DeadLetterCause.REQUESTED, failure);
            case 4 ->
                new Settlement.Postpone(
                        delivery.id, delivery.token, Duration.ofMillis(random.nextInt(9000)), random.nextInt(3));
            default -> new Settlement.Acknowledge(delivery.id, delivery.token);
        };
    }

    private static Shard shard(QueueKind kind) {
        return kind == QueueKind.NOTIFICATIONS ? bench.shard().notifications() : bench.shard();
    }
}
