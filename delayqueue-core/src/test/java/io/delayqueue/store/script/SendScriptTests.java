package io.delayqueue.store.script;

import static io.delayqueue.store.EnvelopeFormat.LATEST;
import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code send.lua}. */
class SendScriptTests extends ScriptTable {

    static Stream<Row> table() {
        return Stream.of(absent(), limited(), live(), versioned(), repeats(), others(), leftovers())
                .flatMap(rows -> rows);
    }

    private static Stream<Row> absent() {
        ShardState deadLetter = new ShardState().deadLetter("a", "w1-1", T0 - 1, "REQUESTED", 1, T0 - 9, "E: no");
        return Stream.of(
                new Row(
                        "absent: stored at its date",
                        new ShardState(),
                        sends(Sends.at("a", T0 + 1000)),
                        Sends.reply(Outcome.ACCEPTED, T0 + 1000),
                        new ShardState().scheduled("a", T0 + 1000)),
                new Row(
                        "absent: a delay counts from Redis' now",
                        new ShardState(),
                        sends(Sends.after("a", 1000)),
                        Sends.reply(Outcome.ACCEPTED, T0 + 1000),
                        new ShardState().scheduled("a", T0 + 1000)),
                new Row(
                        "absent: a date that has passed is kept",
                        new ShardState(),
                        sends(Sends.at("a", 5)),
                        Sends.reply(Outcome.ACCEPTED, 5),
                        new ShardState().scheduled("a", 5)),
                new Row(
                        "only dead letters: accepted, the dead letter stays",
                        deadLetter,
                        sends(Sends.at("a", T0)),
                        Sends.reply(Outcome.ACCEPTED, T0),
                        new ShardState()
                                .deadLetter("a", "w1-1", T0 - 1, "REQUESTED", 1, T0 - 9, "E: no")
                                .scheduled("a", T0)));
    }

    private static Stream<Row> limited() {
        return Stream.of(
                new Row(
                        "limits stand in the head",
                        new ShardState(),
                        sends(Sends.limited(
                                "a", T0, new MessageLimits(4, Duration.ofSeconds(9), Duration.ofMillis(70), null))),
                        Sends.reply(Outcome.ACCEPTED, T0),
                        new ShardState()
                                .put("schedule", "a", T0)
                                .put("messages", "a", message("+n a=4 l=9000 x=70", T0, T0, "\na"))),
                new Row(
                        "an expiry date stands in the head",
                        new ShardState(),
                        sends(Sends.limited(
                                "a", T0, new MessageLimits(null, null, null, Instant.ofEpochMilli(T0 + 5)))),
                        Sends.reply(Outcome.ACCEPTED, T0),
                        new ShardState()
                                .put("schedule", "a", T0)
                                .put("messages", "a", message("+n e=" + (T0 + 5), T0, T0, "\na"))));
    }

    private static Stream<Row> live() {
        ShardState scheduled = new ShardState().retrying("a", T0 + 7, 2, "E: no");
        ShardState leased = new ShardState().leased("a", T0 - 7, "w1-1", T0 + 30_000);
        ShardState replaced = new ShardState()
                .put("schedule", "a", T0 + 1000)
                .put("messages", "a", message("m", T0, T0 + 1000, "\na"));
        return Stream.of(
                Row.unchanged(
                        "scheduled: rejected as duplicate",
                        scheduled,
                        sends(other("a", OnDuplicate.REJECT)),
                        Sends.reply(Outcome.DUPLICATE, T0 + 1000)),
                Row.unchanged(
                        "leased: rejected as duplicate",
                        leased,
                        sends(other("a", OnDuplicate.REJECT)),
                        Sends.reply(Outcome.DUPLICATE, T0 + 1000)),
                Row.unchanged(
                        "scheduled: kept",
                        scheduled,
                        sends(other("a", OnDuplicate.KEEP)),
                        Sends.reply(Outcome.KEPT, T0 + 1000)),
                Row.unchanged(
                        "leased: kept",
                        leased,
                        sends(other("a", OnDuplicate.KEEP)),
                        Sends.reply(Outcome.KEPT, T0 + 1000)),
                new Row(
                        "scheduled: replaced, attempts from zero",
                        scheduled,
                        sends(other("a", OnDuplicate.REPLACE)),
                        Sends.reply(Outcome.REPLACED, T0 + 1000),
                        replaced),
                new Row(
                        "leased: replaced, token replaced",
                        leased,
                        sends(other("a", OnDuplicate.REPLACE)),
                        Sends.reply(Outcome.REPLACED, T0 + 1000),
                        replaced));
    }

    private static Stream<Row> versioned() {
        String version = "n1700000000000005";
        OutgoingMessage message = Sends.message("a", new Due(1000, true), OnDuplicate.REPLACE, version);
        ShardState replaced = new ShardState()
                .put("schedule", "a", T0 + 1000)
                .put("messages", "a", message(version, T0, T0 + 1000, "\na"));
        return Stream.of(
                Row.unchanged(
                        "a greater version: kept",
                        stored("n1700000000000006"),
                        sends(message),
                        Sends.reply(Outcome.KEPT, T0 + 1000)),
                Row.unchanged(
                        "a greater version with limits: kept",
                        stored("+n1700000000000006 a=4"),
                        sends(message),
                        Sends.reply(Outcome.KEPT, T0 + 1000)),
                new Row(
                        "a smaller version: replaced",
                        stored("+n1700000000000004 a=4"),
                        sends(message),
                        Sends.reply(Outcome.REPLACED, T0 + 1000),
                        replaced),
                new Row(
                        "a nonce that is no version: replaced",
                        stored("n17000000000000066"),
                        sends(message),
                        Sends.reply(Outcome.REPLACED, T0 + 1000),
                        replaced),
                new Row(
                        "by a nonce that is no version: replaced",
                        stored("n1700000000000006"),
                        sends(other("a", OnDuplicate.REPLACE)),
                        Sends.reply(Outcome.REPLACED, T0 + 1000),
                        new ShardState()
                                .put("schedule", "a", T0 + 1000)
                                .put("messages", "a", message("m", T0, T0 + 1000, "\na"))));
    }

    private static Stream<Row> repeats() {
        return Stream.of(
                Row.unchanged(
                        "own repeat, scheduled: the first answer",
                        stored("n"),
                        sends(Sends.after("a", 1000)),
                        Sends.repeated(Outcome.ACCEPTED, T0 + 7)),
                Row.unchanged(
                        "own repeat, leased: the first answer",
                        new ShardState().leased("a", T0 - 7, "w1-1", T0 + 30_000),
                        sends(Sends.after("a", 1000)),
                        Sends.repeated(Outcome.ACCEPTED, T0 - 7)),
                Row.unchanged(
                        "own repeat of a generated id: nothing stands in the line",
                        stored(""),
                        sends(Sends.message("a", new Due(1000, true), OnDuplicate.REJECT, "-")),
                        Sends.repeated(Outcome.ACCEPTED, T0 + 7)),
                Row.unchanged(
                        "own repeat with limits: the first answer",
                        stored("+n a=4"),
                        sends(Sends.limited("a", T0, new MessageLimits(4, null, null, null))),
                        Sends.repeated(Outcome.ACCEPTED, T0 + 7)),
                Row.unchanged(
                        "own repeat of a replacement doesn't replace the new token",
                        new ShardState().leased("a", T0 - 7, "w1-1", T0 + 30_000),
                        sends(Sends.message("a", Due.NOW, OnDuplicate.REPLACE, "n")),
                        Sends.repeated(Outcome.ACCEPTED, T0 - 7)));
    }

    private static Stream<Row> others() {
        OutgoingMessage named = Sends.at("a", T0);
        OutgoingMessage unnamed = Sends.message("a", Due.NOW, OnDuplicate.REJECT, "-");
        MessageLimits more = new MessageLimits(4, Duration.ofSeconds(9), null, null);
        return Stream.of(
                another(
                        "a nonce that begins like it",
                        stored("n"),
                        Sends.message("a", Due.NOW, OnDuplicate.REJECT, "n2")),
                another("a nonce that it begins like", stored("n2"), named),
                another("a nonce where there is none", stored(""), named),
                another("no nonce where there is one", stored("n"), unnamed),
                another("its nonce without its limits", stored("+n a=4"), named),
                another("limits that begin like its", stored("+n a=4"), Sends.limited("a", T0, more)),
                another(
                        "what somebody else wrote, though a line feed is in its place",
                        new ShardState().put("schedule", "a", T0 + 7).put("messages", "a", "2............\n\na"),
                        unnamed));
    }

    private static Row another(String name, ShardState state, OutgoingMessage message) {
        return Row.unchanged("not its repeat: " + name, state, sends(message), Sends.reply(Outcome.DUPLICATE, T0));
    }

    private static ShardState stored(String line) {
        return new ShardState().put("schedule", "a", T0 + 7).put("messages", "a", message(line, T0, T0 + 7, "\na"));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(
                new Row(
                        "an id in the schedule without a message is absent",
                        new ShardState().put("schedule", "a", T0 + 5),
                        sends(Sends.at("a", T0 + 1000)),
                        Sends.reply(Outcome.ACCEPTED, T0 + 1000),
                        new ShardState().scheduled("a", T0 + 1000)),
                new Row(
                        "a lease without a message is absent, its token doesn't live on; the next reclaim sweeps it",
                        new ShardState().put("leases", "a", T0 + 5).put("deliveries", "a", "w1-1 1 " + T0 + " "),
                        sends(Sends.at("a", T0 + 1000)),
                        Sends.reply(Outcome.ACCEPTED, T0 + 1000),
                        new ShardState().scheduled("a", T0 + 1000).put("leases", "a", T0 + 5)));
    }

    @Test
    void eachOfABatchIsStoredOrNotOfItsOwnAccord() {
        bench.given(new ShardState()
                .scheduled("dup", T0 + 1)
                .scheduled("kept", T0 + 2)
                .scheduled("old", T0 + 3));
        var reply = bench.store()
                .awaitSend(
                        bench.shard(),
                        List.of(
                                Sends.at("a", T0 + 5),
                                other("dup", OnDuplicate.REJECT),
                                other("kept", OnDuplicate.KEEP),
                                other("old", OnDuplicate.REPLACE),
                                Sends.after("b", 6)));

        assertThat(reply)
                .extracting("outcome")
                .containsExactly(Outcome.ACCEPTED, Outcome.DUPLICATE, Outcome.KEPT, Outcome.REPLACED, Outcome.ACCEPTED);
        assertThat(bench.state().get("schedule"))
                .containsExactly(
                        Map.entry("a", "" + (T0 + 5)),
                        Map.entry("b", "" + (T0 + 6)),
                        Map.entry("dup", "" + (T0 + 1)),
                        Map.entry("kept", "" + (T0 + 2)),
                        Map.entry("old", "" + (T0 + 1000)));
    }

    @Test
    void aRememberedOutcomeIsReturnedAfterTheMessageIsRemoved() {
        bench.given(new ShardState()
                .scheduled("dup", T0 + 1)
                .scheduled("kept", T0 + 2)
                .scheduled("old", T0 + 3));
        List<OutgoingMessage> all = Stream.of(
                        Sends.message("a", new Due(5, true), OnDuplicate.REJECT, "m"),
                        Sends.at("b", T0 + 6),
                        other("dup", OnDuplicate.REJECT),
                        other("kept", OnDuplicate.KEEP),
                        other("old", OnDuplicate.REPLACE))
                .map(Sends::remembered)
                .toList();
        List<SendReply> first = bench.store().awaitSend(bench.shard(), all);
        for (String id : List.of("a", "dup", "kept", "old")) {
            bench.store().awaitCancel(bench.shard(), id);
        }
        bench.clock(T0 + 500);
        ShardState left = bench.state();

        List<SendReply> second = bench.store().awaitSend(bench.shard(), all);

        assertThat(second).extracting("outcome").isEqualTo(outcomes(first));
        assertThat(first).noneMatch(SendReply::repeated);
        assertThat(second).allMatch(SendReply::repeated);
        for (int stored : List.of(0, 1, 4)) {
            assertThat(second.get(stored).dueAt()).isEqualTo(first.get(stored).dueAt());
        }
        assertThat(bench.state()).hasToString(left.toString());
    }

    private static List<Outcome> outcomes(List<SendReply> reply) {
        return reply.stream().map(SendReply::outcome).toList();
    }

    @Test
    void messagesWithTheSameNonceAreRememberedApart() {
        bench.given(new ShardState());
        Memory memory = new Memory("n0000000000000001", Duration.ofMinutes(1)); // as a version is stored
        bench.store().awaitSend(bench.shard(), List.of(Sends.at("a", T0).remembered(memory)));

        List<SendReply> reply = bench.store()
                .awaitSend(bench.shard(), List.of(Sends.at("b", T0 + 1).remembered(memory)));

        assertThat(reply).isEqualTo(Sends.reply(Outcome.ACCEPTED, T0 + 1));
        assertThat(bench.state().get("messages")).containsOnlyKeys("a", "b");
    }

    @Test
    void aRepeatIsRememberedThatFindsTheMessageButNoMemoryOfIt() {
        OutgoingMessage message = Sends.after("a", 1000);
        bench.given(new ShardState().scheduled("a", T0 + 7));
        bench.store().awaitSend(bench.shard(), List.of(Sends.remembered(message)));
        bench.store().awaitCancel(bench.shard(), "a");

        List<SendReply> reply = bench.store().awaitSend(bench.shard(), List.of(Sends.remembered(message)));

        assertThat(reply).isEqualTo(Sends.repeated(Outcome.ACCEPTED, T0 + 7));
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void memoryEndsWithItsTime() {
        bench.given(new ShardState());
        OutgoingMessage message = Sends.remembered(Sends.at("a", T0));
        bench.store().awaitSend(bench.shard(), List.of(message, Sends.at("b", T0)));

        bench.store().awaitCancel(bench.shard(), "a");
        bench.clock(T0 + 59_999);
        bench.store().awaitSend(bench.shard(), List.of(message));
        assertThat(bench.state().get("messages")).containsOnlyKeys("b");
        bench.clock(T0 + 60_000);
        assertThat(bench.store().awaitSend(bench.shard(), List.of(message)))
                .isEqualTo(Sends.reply(Outcome.ACCEPTED, T0));
        assertThat(bench.state().get("messages")).containsOnlyKeys("a", "b");
    }

    @Test
    void expiredOutcomesAreRemoved() {
        ShardKeys keys = bench.keySpace().of(bench.shard());
        List<OutgoingMessage> some = Stream.of("a", "b", "c", "d", "e")
                .map(id -> Sends.remembered(Sends.at(id, T0)))
                .toList();
        bench.store().awaitSend(bench.shard(), some);
        bench.clock(T0 + 60_000);

        bench.store().awaitSend(bench.shard(), List.of(Sends.remembered(Sends.at("f", T0))));
        assertThat(bench.redis().call("HLEN", keys.sent()))
                .as("two go with each")
                .isEqualTo(5L);

        bench.store().awaitPurge(bench.shard(), new Purge.Retention(Duration.ofDays(1), 100, Long.MAX_VALUE));
        assertThat(bench.redis().call("HLEN", keys.sent()))
                .as("its own, and the sentinel")
                .isEqualTo(2L)
                .isEqualTo(bench.redis().call("ZCARD", keys.sentUntil()));
    }

    @Test
    void whatIsRememberedOutlivesItsTopicForItsTime() {
        ShardKeys keys = bench.keySpace().of(bench.shard());
        OutgoingMessage message = Sends.remembered(Sends.at("a", T0));
        bench.store().awaitSend(bench.shard(), List.of(message));
        bench.store().awaitCancel(bench.shard(), "a");
        bench.redis().call("ZADD", keys.sentUntil(), Long.toString(SystemClock.millis() + 3_600_000), "a");

        bench.process().deletion().delete("orders");
        assertThat((Long) bench.redis().call("PTTL", keys.sent())).isBetween(1L, 3_600_000L);
        assertThat((Long) bench.redis().call("PTTL", keys.sentUntil())).isBetween(1L, 3_600_000L);
        bench.store().awaitSend(bench.shard(), List.of(message));

        assertThat(bench.state()).hasToString("");
        assertThat(bench.redis().call("PTTL", keys.sent())).isEqualTo(-1L);
        assertThat(bench.redis().call("PTTL", keys.sentUntil())).isEqualTo(-1L);
    }

    @Test
    void fiveHundredAreStoredAtOnce() {
        List<OutgoingMessage> all = Stream.iterate(0, i -> i + 1)
                .limit(500)
                .map(i -> Sends.at("m" + i, T0 + i))
                .toList();
        bench.store().awaitSend(bench.shard(), all);
        assertThat(bench.store().awaitCount(bench.shard()).scheduled()).isEqualTo(499);
        assertThat(bench.store().awaitCount(bench.shard()).ready()).isEqualTo(1);
    }

    @Test
    void anyIdAndHeaderComesBackAsItWas() {
        String id = "Grüße\n 1 2 %{x}~@";
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("tags: a", "100 %0A\r\nb");
        headers.put("leer", "");
        bench.store()
                .awaitSend(
                        bench.shard(),
                        List.of(OutgoingMessage.of(
                                id, Due.NOW, OnDuplicate.REJECT, "n", MessageLimits.NONE, headers, new byte[] {
                                    0, '\n', -1
                                })));

        var found = bench.store().awaitFind(bench.shard(), id).orElseThrow();
        assertThat(found.envelope().headers()).isEqualTo(headers);
        assertThat(found.envelope().payload()).containsExactly(0, '\n', -1);
        assertThat(found.envelope().sentAt()).isEqualTo(Instant.ofEpochMilli(T0));
    }

    @Test
    void theFurthestDueTimeFitsIntoTheHead() {
        bench.store()
                .awaitSend(
                        bench.shard(),
                        List.of(
                                Sends.message("a", new Due(Long.MAX_VALUE, false), OnDuplicate.REJECT, "n"),
                                Sends.message("b", new Due(Long.MAX_VALUE, true), OnDuplicate.REJECT, "n")));
        assertThat(bench.state())
                .hasToString(new ShardState()
                        .scheduled("a", LATEST)
                        .scheduled("b", T0 + LATEST / 2)
                        .toString());
    }

    private static OutgoingMessage other(String id, OnDuplicate mode) {
        return Sends.message(id, new Due(1000, true), mode, "m");
    }

    private static Function<StoreBench, Object> sends(OutgoingMessage message) {
        return bench -> bench.store().awaitSend(bench.shard(), List.of(message));
    }
}
