package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
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
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of a few keys. After each call the places of all messages are read and compared with the rules, also if each
 * script is executed twice. If some scripts stop before one of their writes and are repeated or not, nothing is lost or stalls.
 */
abstract class KeyHistories {

    private static final int HISTORIES = 15;
    private static final int MANY = 200;
    private static final int CALLS = 60;
    private static final int LEASE = 40;
    /** How scripts are executed. */
    private enum Scripts {
        ONCE,
        TWICE,
        /** Some stop before one of their writes, and are repeated or not. */
        STOPPED
    }

    /** A message that a consumer holds, until its lease ends, it is settled, cancelled or replaced. */
    record Held(String token, String key, long end) {}

    /** A message that is stored. */
    record Stored(String key, long sequence) {}

    private final Map<String, Long> sequences = new HashMap<>();
    final Map<String, Held> held = new HashMap<>();
    private final StringBuilder log = new StringBuilder();
    private Random random = new Random(0);
    long now;
    private int names;
    private Scripts scripts = Scripts.ONCE;
    private final StoreBench bench;
    private final List<String> keys;

    /**
     * Creates the histories.
     *
     * @param keys the empty one stands for no key
     */
    KeyHistories(StoreBench bench, List<String> keys) {
        this.bench = bench;
        this.keys = keys;
    }

    /** Checks that the places of all messages follow the rules. */
    abstract void checkPlaces(Map<String, Stored> messages, ShardState state, Map<String, Long> parkedDue);

    /** Checks that the message of a claim may be handled beside those that are held. */
    abstract void checkClaim(String id, String key);

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void thePlacesOfAllMessagesFollowTheRules(int seed) {
        runHistories(seed, HISTORIES, Scripts.ONCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void theSecondExecutionOfAScriptChangesNoPlace(int seed) {
        runHistories(seed, HISTORIES, Scripts.TWICE);
    }

    @ParameterizedTest
    @ValueSource(ints = {101, 102, 103, 104})
    void nothingIsLostOrStallsWhereverAScriptStops(int seed) {
        runHistories(seed, HISTORIES, Scripts.STOPPED);
    }

    @Test
    @Tag("long")
    @Tag("core")
    void manyHistories() {
        for (Scripts how : Scripts.values()) {
            for (int seed = 1000; seed < 1003; seed++) {
                runHistories(seed, MANY, how);
            }
        }
    }

    private void runHistories(int seed, int histories, Scripts how) {
        scripts = how;
        for (int i = 0; i < histories; i++) {
            random = new Random(1000L * seed + i);
            log.setLength(0);
            try {
                begin();
                for (int call = 0; call < CALLS; call++) {
                    callSomething();
                    if (scripts != Scripts.STOPPED) {
                        checkAllPlaces();
                    }
                }
                handleTheRest();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", history " + i + "\n" + log + places(), e);
            }
        }
    }

    private void begin() {
        bench.reset();
        if (scripts == Scripts.TWICE) {
            bench.twice();
        }
        now = T0;
        names = 0;
        sequences.clear();
        held.clear();
        prepare();
    }

    /** Prepares the shard of a history. */
    void prepare() {}

    private void callSomething() {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> send();
            case 3, 4, 5, 6 -> poll("w" + random.nextInt(2));
            case 7 -> cancel();
            case 8 -> {
                String id = anyId();
                Due due = new Due(random.nextInt(30), true);
                log("reschedule " + id + " " + due.millis());
                call("reschedule", () -> bench.reschedule(id, due));
            }
            case 9 -> replay();
            default -> {
                now += random.nextInt(30);
                bench.clock(now);
                log("at " + (now - T0));
            }
        }
    }

    private void send() {
        List<OutgoingMessage> messages = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            OnDuplicate mode = OnDuplicate.values()[random.nextInt(4)];
            String id = random.nextInt(3) == 0 ? anyId() : "m" + ++names;
            String key = keys.get(random.nextInt(keys.size()));
            Due due = random.nextInt(2) == 0 ? Due.NOW : new Due(random.nextInt(30), true);
            if (ids.add(id)) {
                MessageLimits limits = random.nextInt(6) > 0
                        ? MessageLimits.NONE
                        : new MessageLimits(null, null, Duration.ofMillis(15), null);
                messages.add(OutgoingMessage.of(
                        id,
                        due,
                        mode,
                        "n" + ++names,
                        limits,
                        key.isEmpty() ? null : key,
                        Map.of(),
                        id.getBytes(UTF_8)));
                log("send " + id + " key " + key + " " + mode + " " + due.millis() + " " + limits);
                if (mode == OnDuplicate.REPLACE) {
                    held.remove(id);
                }
            }
        }
        call("send", () -> bench.send(messages));
    }

    private void poll(String consumer) {
        Polls poll = Polls.by(consumer, sequences.merge(consumer, 1L, Long::sum))
                .claim(random.nextInt(4))
                .claimSuspect()
                .lease(Duration.ofMillis(LEASE))
                .gap(Duration.ofHours(1));
        StringBuilder what = new StringBuilder("poll " + consumer);
        for (Map.Entry<String, Held> entry : List.copyOf(held.entrySet())) {
            String token = entry.getValue().token();
            String id = entry.getKey();
            if (token.startsWith(consumer) && random.nextBoolean()) {
                settle(poll, id, token, what);
                held.remove(id);
            }
        }
        log(what.toString());
        PollReply reply = call("poll", () -> bench.poll(poll));
        held.values().removeIf(lease -> lease.end() <= now);
        for (Claim claim : reply == null ? List.<Claim>of() : reply.claims()) {
            log("  claimed " + claim.id());
            String key = requireNonNullElse(claim.envelope().key(), "");
            checkClaim(claim.id(), key);
            held.put(claim.id(), new Held(claim.token(), key, now + LEASE));
        }
    }

    private void settle(Polls poll, String id, String token, StringBuilder what) {
        int how = random.nextInt(9);
        what.append(' ').append(id).append(':').append(how);
        switch (how) {
            case 0 -> poll.retry(id, token, random.nextInt(20));
            case 1 -> poll.postpone(id, token, random.nextInt(20), 0);
            case 2 -> poll.postponeLettingOthersPass(id, token, random.nextInt(20));
            case 3 -> poll.release(id, token);
            case 4 -> poll.deadLetter(id, token, DeadLetterCause.REQUESTED);
            default -> poll.acknowledge(id, token);
        }
    }

    private void cancel() {
        String id = anyId();
        log("cancel " + id);
        held.remove(id);
        call("cancel", () -> bench.cancel(id));
    }

    private void replay() {
        List<String> deadLetters =
                bench.state().get("deadLetters").keySet().stream().sorted().toList();
        if (!deadLetters.isEmpty()) {
            String deadLetter = deadLetters.get(random.nextInt(deadLetters.size()));
            log("replay " + deadLetter);
            Due due = new Due(random.nextInt(10), true);
            call("replay", () -> Await.result(bench.store().replay(bench.shard(), List.of(deadLetter), due)));
        }
    }

    private String anyId() {
        return "m" + (1 + random.nextInt(Math.max(1, names)));
    }

    /** Makes a call, which may stop before one of its writes. Then it may be repeated. */
    private <T> @Nullable T call(String script, Supplier<T> call) {
        if (scripts != Scripts.STOPPED || random.nextInt(3) > 0) {
            return call.get();
        }
        List<T> reply = new ArrayList<>();
        bench.stoppedBefore(script, random.nextInt(16));
        boolean stopped = bench.stops(() -> reply.add(call.get()));
        bench.undisturbed();
        if (!stopped) {
            return reply.get(0);
        }
        log("  stopped");
        // a poll is repeated before the next one of its consumer
        return script.equals("poll") || random.nextBoolean() ? call.get() : null;
    }

    private void checkAllPlaces() {
        Map<String, Stored> messages = messages();
        ShardState state = bench.state();
        Map<String, Long> parkedDue = new TreeMap<>();
        List<byte[]> dues = list("ZRANGE", "parked.due", "0", "-2", "WITHSCORES");
        for (int i = 0; i < dues.size(); i += 2) {
            parkedDue.put(text(dues.get(i)), Long.valueOf(text(dues.get(i + 1))));
        }
        messages.forEach((id, stored) -> {
            boolean isActive =
                    state.get("schedule").containsKey(id) || state.get("leases").containsKey(id);
            assertThat(isActive && parkedDue.containsKey(id)).as(id + " twice").isFalse();
            assertThat(isActive || parkedDue.containsKey(id))
                    .as(id + " has a place")
                    .isTrue();
        });
        assertThat(parkedDue.keySet()).isSubsetOf(messages.keySet());
        assertThat(state.get("schedule").keySet()).isSubsetOf(messages.keySet());
        assertThat(ofParked('\0')).hasSize(parkedDue.size());
        held.forEach((id, lease) -> assertThat(state.get("leases")).containsKey(id));
        checkPlaces(messages, state, parkedDue);
    }

    /**
     * Checks that no parked message comes before the head of its key.
     *
     * @param parked ids of the parked messages of the key
     */
    void checkFirst(
            String id, Set<String> parked, long due, Map<String, Stored> messages, Map<String, Long> parkedDue) {
        assertThat(parked).allSatisfy(other -> {
            long dueOfOther = requireNonNull(parkedDue.get(other));
            assertThat(dueOfOther).isGreaterThanOrEqualTo(due);
            if (dueOfOther == due) {
                assertThat(requireNonNull(messages.get(other)).sequence())
                        .isGreaterThan(requireNonNull(messages.get(id)).sequence());
            }
        });
    }

    private String places() {
        StringBuilder places = new StringBuilder(bench.state().toString());
        heads().forEach((key, head) -> places.append("\nhead of ")
                .append(key)
                .append(": ")
                .append((char) head[0])
                .append(new String(head, 13, head.length - 13, UTF_8)));
        list("ZRANGE", "parked", "0", "-1")
                .forEach(
                        member -> places.append("\nparked ").append(text(member).replaceAll("[^a-z0-9]", ".")));
        list("ZRANGE", "parked.due", "0", "-1")
                .forEach(id -> places.append("\ndue ").append(text(id)));
        return places.toString();
    }

    private Map<String, Stored> messages() {
        Map<String, Stored> messages = new TreeMap<>();
        List<byte[]> all = list("HGETALL", "messages");
        for (int i = 0; i < all.size(); i += 2) {
            String stored = new String(all.get(i + 1), ISO_8859_1);
            if (!stored.isEmpty()) {
                int from = stored.indexOf(" s=", 13) + 3;
                int to = stored.indexOf(" k=", from);
                messages.put(
                        text(all.get(i)),
                        new Stored(
                                stored.substring(to + 3, stored.indexOf('\n', to)),
                                Long.parseLong(stored.substring(from, to))));
            }
        }
        return messages;
    }

    Map<String, byte[]> heads() {
        Map<String, byte[]> heads = new TreeMap<>();
        List<byte[]> all = list("HGETALL", "heads");
        for (int i = 0; i < all.size(); i += 2) {
            if (all.get(i + 1).length > 0) {
                heads.put(text(all.get(i)), all.get(i + 1));
            }
        }
        return heads;
    }

    /** The members of parked that have this byte after the key, each as key, byte and the rest. */
    List<String> ofParked(char separator) {
        return list("ZRANGE", "parked", "0", "-2").stream()
                .map(KeyHistories::text)
                .filter(member -> member.replaceFirst("(?s)^[^\\x00\\x01]*", "").charAt(0) == separator)
                .toList();
    }

    @SuppressWarnings("unchecked")
    List<byte[]> list(String command, String key, String... arguments) {
        Object[] all = new Object[arguments.length + 2];
        all[0] = command;
        all[1] = bench.key(key);
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return (List<byte[]>) requireNonNull(bench.redis().call(all));
    }

    static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    /** Consumers handle all that is left, until nothing stays. */
    private void handleTheRest() {
        Set<String> live = new HashSet<>(bench.state().get("messages").keySet());
        Set<String> handled = new HashSet<>();
        log("the rest");
        for (int i = 0; i < 500 && !Long.valueOf(1).equals(bench.redis().call("HLEN", bench.key("messages"))); i++) {
            now += 60;
            bench.clock(now);
            PollReply reply =
                    bench.poll(Polls.by("z", 2L * i).claim(100).claimSuspect().gap(Duration.ofHours(1)));
            Polls settling = Polls.by("z", 2L * i + 1).gap(Duration.ofHours(1));
            held.clear();
            reply.claims().forEach(claim -> {
                String key = requireNonNullElse(claim.envelope().key(), "");
                checkClaim(claim.id(), key);
                held.put(claim.id(), new Held(claim.token(), key, now + LEASE));
                handled.add(claim.id());
                settling.acknowledge(claim.id(), claim.token());
            });
            bench.poll(settling);
        }
        assertThat(bench.state().get("messages")).isEmpty();
        assertThat(bench.state().get("schedule")).isEmpty();
        assertThat(bench.state().get("leases")).isEmpty();
        assertThat(bench.state().get("deliveries")).isEmpty();
        assertThat(heads()).isEmpty();
        Set<String> dead = new HashSet<>();
        bench.state().get("deadLetters").keySet().forEach(id -> dead.add(id.substring(0, id.lastIndexOf('@'))));
        assertThat(live)
                .allSatisfy(id -> assertThat(handled.contains(id) || dead.contains(id))
                        .as(id)
                        .isTrue());
        if (scripts != Scripts.STOPPED) {
            assertThat(list("ZRANGE", "parked", "0", "-1")).hasSize(1);
            assertThat(list("ZRANGE", "parked.due", "0", "-1")).hasSize(1);
        }
    }

    private void log(String line) {
        log.append(line).append('\n');
    }
}
