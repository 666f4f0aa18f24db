package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Failure;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Timing;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Recurrences.Action;
import io.delayqueue.testing.Dump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What was stored by format 1 is read and handled by today's code. The dump of a released format is never written anew: a
 * change that breaks this test needs a new format, with a dump and a test of its own.
 */
class StoredFormatTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String JSON = "{\"order\":\"4711\"}";

    /** What no stored message passes through. A script that isn't tried on the dump below has to be one of these. */
    private static final Set<String> WITHOUT_MESSAGES = Set.of(
            "admin/declare",
            "admin/lapsed",
            "admin/orphan",
            "admin/job",
            "admin/jobs",
            "coordination/heartbeat",
            "coordination/nodes",
            "coordination/pause",
            "coordination/release",
            "coordination/stack",
            "coordination/throughput",
            "coordination/throughputs",
            "redis/server/probe",
            "store/idempotency/reserve",
            "web/compat/ids/enter",
            "web/compat/ids/operations",
            "test/tasks/test-clock",
            "web/compat/ids/sweep",
            "store/script/limit",
            "store/script/register",
            "store/script/topics",
            "store/script/unregister");

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private MessageStore store;

    @BeforeEach
    void restore() throws IOException {
        bench.restore("format-1.redis");
        store = bench.store();
    }

    @Test
    void scheduledMessageIsReadWithHeadersAndPayload() {
        MessageSnapshot plain = find("plain");
        assertThat(plain.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(plain.dueAt()).isEqualTo(at(HOUR.toMillis()));
        assertThat(plain.attempts()).isZero();
        assertThat(plain.envelope().sentAt()).isEqualTo(at(0));
        assertThat(plain.envelope().limits()).isEqualTo(MessageLimits.NONE);
        assertThat(plain.envelope().headers())
                .containsExactly(Map.entry("tags", "vip"), Map.entry("a:b%", "100 %\nsure, \u20ac"));
        assertThat(plain.envelope().payload()).isEqualTo(JSON.getBytes(UTF_8));
    }

    @Test
    void repeatOfASendIsRecognised() {
        Due later = new Due(HOUR.toMillis(), true);
        for (Map.Entry<String, String> nonce :
                Map.of("plain", "n1", "unnamed", OutgoingMessage.GENERATED_ID).entrySet()) {
            assertThat(Calls.send(
                            store,
                            bench.shard(),
                            List.of(Sends.message(nonce.getKey(), later, OnDuplicate.REJECT, nonce.getValue()))))
                    .isEqualTo(Sends.repeated(Outcome.ACCEPTED, T0 + HOUR.toMillis()));
        }
    }

    @Test
    void limitsAreRead() {
        assertThat(find("limited").envelope().limits()).isEqualTo(late());
        assertThat(find("dated").envelope().limits()).isEqualTo(dated());
    }

    @Test
    void retriedMessageIsReadAndClaimed() {
        MessageSnapshot retried = find("retried");
        assertThat(retried.attempts()).isOne();
        assertThat(retried.dueAt()).isEqualTo(at(1_000 + HOUR.toMillis()));
        assertThat(retried.lastFailure()).isEqualTo("E: no");

        bench.clock(T0 + HOUR.toMillis() + 2_000);
        Claim claim = claim(poll(Polls.by("new", 1).claim(100)), "retried");
        assertThat(claim.attempt()).isEqualTo(2);
        assertThat(claim.lastFailure()).isEqualTo("E: no");
    }

    @Test
    void leaseIsStillHeldByItsToken() {
        MessageSnapshot leased = find("leased");
        assertThat(leased.state()).isEqualTo(MessageState.LEASED);
        assertThat(leased.leaseEnd()).isEqualTo(at(40_000));
        assertThat(find("limited-lease").leaseEnd()).isEqualTo(at(55_000));

        PollReply again = poll(lastPoll());
        assertThat(again.claims())
                .extracting(Claim::id)
                .containsExactlyInAnyOrder("leased", "limited-lease", "succeeded");
        PollReply settled = poll(
                Polls.by("old", 4).acknowledge("leased", claim(again, "leased").token()));
        assertThat(settled.rejected()).isEmpty();
        assertThat(Await.result(store.find(bench.shard(), "leased"))).isEmpty();
    }

    @Test
    void everyMessageIsDeliveredInTheEnd() {
        List<String> delivered = new ArrayList<>();
        long now = T0 + HOUR.toMillis() + 60_000;
        for (int sequence = 1; sequence <= 9; sequence++) {
            // after the outage, leases that are over are taken back with a delay
            bench.clock(now);
            poll(Polls.by("new", sequence).claim(100)).claims().forEach(claim -> delivered.add(claim.id()));
            now += 4_000;
        }
        assertThat(delivered)
                .containsExactlyInAnyOrder(
                        "plain",
                        "unnamed",
                        "limited",
                        "dated",
                        "retried",
                        "leased",
                        "limited-lease",
                        "succeeded",
                        "debounced");
    }

    @Test
    void successorIsReadAndTakesOver() {
        assertThat(find("succeeded").successor())
                .satisfies(successor -> assertThat(successor.dueAt()).isEqualTo(at(11_000)));
        assertThat(Calls.send(
                        store,
                        bench.shard(),
                        List.of(Sends.message("succeeded", Due.NOW, OnDuplicate.AFTER_RUNNING, "n2"))))
                .isEqualTo(Sends.repeated(Outcome.ACCEPTED, T0 + 11_000));

        poll(Polls.by("old", 4)
                .acknowledge("succeeded", claim(poll(lastPoll()), "succeeded").token()));

        MessageSnapshot next = find("succeeded");
        assertThat(next.state()).isEqualTo(MessageState.READY);
        assertThat(next.successor()).isNull();
    }

    @Test
    void seriesOfDebouncedSendsContinues() {
        bench.clock(T0 + Duration.ofMinutes(2).toMillis());
        assertThat(Calls.send(store, bench.shard(), List.of(debounced("n2"))))
                .isEqualTo(
                        Sends.reply(Outcome.REPLACED, T0 + HOUR.plusMinutes(1).toMillis()));
    }

    @Test
    void deadLettersAreReadAndReplayed() {
        List<DeadLetter> deadLetters =
                Await.result(store.deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 100)));
        assertThat(deadLetters).extracting(DeadLetter::messageId).containsExactly("expired", "buried");
        DeadLetter buried = deadLetters.get(1);
        assertThat(buried.cause()).isEqualTo(DeadLetterCause.NOT_RETRYABLE);
        assertThat(buried.attempts()).isOne();
        assertThat(buried.deadLetteredAt()).isEqualTo(at(1_000));
        assertThat(buried.failure()).isEqualTo(new Failure("E", "no", "at x\nat y"));
        assertThat(buried.envelope().payload()).isEqualTo("buried".getBytes(UTF_8));
        assertThat(deadLetters.get(0).cause()).isEqualTo(DeadLetterCause.EXPIRED);

        assertThat(Await.result(store.replay(bench.shard(), List.of(buried.deadLetterId()), Due.NOW))
                        .get(0))
                .isEqualTo(ReplayOutcome.REPLAYED);
        assertThat(find("buried").attempts()).isZero();
    }

    @Test
    void notificationsAreClaimed() {
        Shard queue = bench.shard().notifications();
        List<Claim> notifications =
                Polls.poll(store, queue, Polls.by("new", 1).claim(100).build()).claims();
        assertThat(notifications)
                .hasSize(2)
                .allSatisfy(notification -> assertThat(Await.result(
                                store.deadLetters(bench.shard(), new DeadLetterQuery.One(notification.id()))))
                        .hasSize(1));
    }

    @Test
    void everyScriptOfEveryModuleIsTriedOnWhatIsStored() throws IOException {
        bench.executed();
        tryEveryVerb();
        Set<String> tried = new TreeSet<>(WITHOUT_MESSAGES);
        bench.executed().forEach(name -> tried.add("store/script/" + name));

        Map<String, String> scripts = new TreeMap<>(scriptsOfAllModules());
        Set<String> fragments = scripts.keySet().stream()
                .filter(name -> Objects.requireNonNull(scripts.get(name)).startsWith("-- fragment: "))
                .collect(Collectors.toSet());
        assertThat(tried).containsAll(WITHOUT_MESSAGES).doesNotContainAnyElementsOf(fragments);
        scripts.keySet().removeAll(fragments);
        assertThat(scripts.keySet()).containsExactlyInAnyOrderElementsOf(tried);
    }

    /** Each verb meets a message of format 1, and leaves one that is readable. */
    private void tryEveryVerb() {
        assertThat(Await.result(store.count(bench.shard())).counts().scheduled())
                .isEqualTo(6);
        assertThat(bench.reader()
                        .deadLetterKinds(bench.shard(), new DeadLetterQuery.Page(null, 0, 100))
                        .join())
                .extracting(entry -> entry.kind().cause())
                .containsExactly("EXPIRED", "NOT_RETRYABLE");
        store.markReviewed(bench.shard()).join();
        bench.process()
                .limiter()
                .set("orders", new TopicLimits(1000, null, null))
                .join();
        bench.process().limiter().clear("orders").join();
        assertThat(bench.reader()
                        .upcoming(bench.shard(), HOUR, 3)
                        .join()
                        .orElseThrow()
                        .later())
                .isZero();
        assertThat(bench.reader().slowestKeys(bench.shard()).join()).isEmpty();
        recurAmongThem();
        assertThat(bench.reader()
                        .list(bench.shard(), MessageState.SCHEDULED, null, 10)
                        .join()
                        .messages())
                .allSatisfy(message -> assertThat(message.envelope().sentAt()).isEqualTo(at(0)));
        assertThat(Calls.send(store, bench.shard(), List.of(replacing("plain"))))
                .isNotNull();
        assertThat(Calls.reschedule(store, bench.shard(), "dated", Due.NOW)).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(find("dated").envelope().limits()).isEqualTo(dated());
        assertThat(store.cancelUpTo(bench.shard(), "unnamed", 0, false, Durability.NONE)
                        .join())
                .isEqualTo(new VersionedCancel(CancelOutcome.CANCELLED, false, VersionedCancel.NO_VERSION));
        assertThat(Calls.cancel(store, bench.shard(), "limited")).isEqualTo(CancelOutcome.CANCELLED);
        PollReply again = poll(lastPoll());
        poll(Polls.by("old", 4).release("leased", claim(again, "leased").token()));
        assertThat(find("leased").envelope().payload()).isEqualTo("leased".getBytes(UTF_8));
        for (DeadLetter deadLetter :
                Await.result(store.deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 100)))) {
            assertThat(Await.result(store.replay(bench.shard(), List.of(deadLetter.deadLetterId()), Due.NOW))
                            .get(0))
                    .isEqualTo(ReplayOutcome.REPLAYED);
        }
        assertThat(Await.result(store.purge(bench.shard(), new Purge.Retention(HOUR, 0, 0))))
                .isZero();
        assertThatExceptionOfType(TopicNotEmptyException.class)
                .isThrownBy(() -> bench.process().deletion().delete("orders"));
        bench.redis().call("HDEL", bench.key("meta"), "identity");
        store.enableNotifications(bench.shard()).join();
        assertThat(find("buried").envelope().payload()).isEqualTo("buried".getBytes(UTF_8));
        MessageMover mover = new MessageMover(
                bench.scripts(), bench.keySpace(), bench.process().registry());
        assertThat(mover.finish(List.of(bench.shard()), "other")).isEmpty();
        assertThat(mover.move(List.of(bench.shard()), "other", List.of("buried"), at(HOUR.toMillis()))
                        .ids())
                .containsExactly("buried");
        assertThat(Await.result(store.find(Shard.single("other"), "buried"))
                        .orElseThrow()
                        .envelope()
                        .payload())
                .isEqualTo("buried".getBytes(UTF_8));
    }

    /** A message that recurs in the same shard. */
    private void recurAmongThem() {
        Recurrences recurrences = bench.process().recurrences();
        recurrences
                .put(
                        bench.shard(),
                        Sends.message("recurring", Due.NOW, OnDuplicate.REJECT, "n"),
                        "n",
                        Timing.every(HOUR),
                        at(0),
                        Durability.NONE)
                .join();
        recurrences
                .change(bench.shard(), "recurring", Action.PAUSE, Durability.NONE)
                .join();
        recurrences
                .change(bench.shard(), "recurring", Action.RESUME, Durability.NONE)
                .join();
        poll(Polls.by("other", 1));
        assertThat(recurrences
                        .find(bench.shard(), "recurring")
                        .join()
                        .orElseThrow()
                        .occurrence())
                .isNotNull();
        recurrences
                .change(bench.shard(), "recurring", Action.REMOVE, Durability.NONE)
                .join();
    }

    private static OutgoingMessage replacing(String id) {
        return Sends.message(id, Due.NOW, OnDuplicate.REPLACE, "m");
    }

    /** By their paths below the base package, without the ending. */
    private static Map<String, String> scriptsOfAllModules() throws IOException {
        Map<String, String> scripts = new TreeMap<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path resources = module.resolve("src/main/resources");
                if (!Files.isDirectory(resources)) {
                    continue;
                }
                try (Stream<Path> files = Files.walk(resources)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".lua"))
                            .toList()) {
                        String name = resources.relativize(file).toString().replace('\\', '/');
                        scripts.put(
                                name.replaceFirst("^io/delayqueue/", "").replaceFirst("\\.lua$", ""),
                                Files.readString(file));
                    }
                }
            }
        }
        return scripts;
    }

    /** By which the dump was made. For another format: {@code -Ddelayqueue.dump=<file>}, and then never again. */
    @Test
    @EnabledIfSystemProperty(named = "delayqueue.dump", matches = ".+")
    void writeTheDumpOfThisFormat() throws IOException {
        bench.reset();
        store = bench.store();
        store.enableNotifications(bench.shard()).join();
        long later = T0 + HOUR.toMillis();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("tags", "vip");
        headers.put("a:b%", "100 %\nsure, \u20ac");
        send(OutgoingMessage.of(
                "plain",
                new Due(later, false),
                OnDuplicate.REJECT,
                "n1",
                MessageLimits.NONE,
                null,
                headers,
                JSON.getBytes(UTF_8)));
        send(Sends.message("unnamed", new Due(later, false), OnDuplicate.REJECT, OutgoingMessage.GENERATED_ID));
        send(Sends.limited("limited", later, late()));
        send(Sends.limited("dated", later, dated()));
        send(debounced("n1"));
        send(Sends.at("retried", T0));
        send(Sends.at("buried", T0));
        send(Sends.limited("expired", T0 + 2_000, new MessageLimits(null, null, Duration.ofSeconds(1), null)));
        PollReply first = poll(Polls.by("old", 1).claim(10));
        bench.clock(T0 + 1_000);
        poll(Polls.by("old", 2)
                .retry("retried", claim(first, "retried").token(), HOUR.toMillis())
                .deadLetter("buried", claim(first, "buried").token(), DeadLetterCause.NOT_RETRYABLE));
        bench.clock(T0 + 10_000);
        send(Sends.at("leased", T0 + 10_000));
        send(Sends.limited("limited-lease", T0 + 10_000, new MessageLimits(null, Duration.ofSeconds(45), null, null)));
        send(Sends.at("succeeded", T0 + 10_000));
        poll(lastPoll());
        send(Sends.message("succeeded", new Due(T0 + 11_000, false), OnDuplicate.AFTER_RUNNING, "n2"));
        Files.writeString(
                Path.of(System.getProperty("delayqueue.dump")),
                "# Every key of a shard in format 1, made by StoredFormatTests\n" + Dump.of(bench.redis(), "dq:"));
    }

    private void send(OutgoingMessage message) {
        Calls.send(store, bench.shard(), List.of(message));
    }

    private static OutgoingMessage debounced(String nonce) {
        return Sends.message("debounced", Due.debounced(HOUR, HOUR.plusMinutes(1)), OnDuplicate.REPLACE, nonce);
    }

    private static Polls lastPoll() {
        return Polls.by("old", 3).claim(10);
    }

    private static MessageLimits late() {
        return new MessageLimits(7, Duration.ofSeconds(45), Duration.ofHours(2), null);
    }

    private static MessageLimits dated() {
        return new MessageLimits(null, null, null, Instant.ofEpochMilli(T0 + 3 * HOUR.toMillis()));
    }

    private static Instant at(long millisAfterT0) {
        return Instant.ofEpochMilli(T0 + millisAfterT0);
    }

    private PollReply poll(Polls polls) {
        return Polls.poll(store, bench.shard(), polls.build());
    }

    private MessageSnapshot find(String id) {
        return Await.result(store.find(bench.shard(), id)).orElseThrow();
    }

    private static Claim claim(PollReply reply, String id) {
        return reply.claims().stream()
                .filter(claim -> Objects.equals(claim.id(), id))
                .findFirst()
                .orElseThrow();
    }
}
