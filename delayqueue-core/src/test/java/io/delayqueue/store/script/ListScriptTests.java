package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Listing;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading live messages in pages. */
class ListScriptTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static Listing list(MessageState state, Place after, int count) {
        return bench.reader().list(bench.shard(), state, after, count).join();
    }

    private static List<String> ids(Listing listing) {
        return listing.messages().stream().map(MessageSnapshot::id).toList();
    }

    private static List<String> all(MessageState state, int count) {
        List<String> ids = new ArrayList<>();
        Place next = null;
        do {
            Listing page = list(state, next, count);
            assertThat(page.messages()).hasSizeLessThanOrEqualTo(count);
            ids.addAll(ids(page));
            next = page.next();
        } while (next != null);
        return ids;
    }

    private static ShardState some() {
        return state("scheduled later 9, retrying soon 1 2 E: no, scheduled now 0, "
                + "retrying before -9 1, suspect suspect -10 1 /3/1 E: no, "
                + "suspect 'older suspect' -11 0 /2/0, "
                + "leased held -5 w1-7 30000 3 E: still no, "
                + "leased 'held longer' -6 w2-1 30001, "
                + "deadLetter dead w1-1 0 REQUESTED 1 0");
    }

    @Test
    void eachViewHasItsMessagesInItsOrder() {
        bench.given(some());
        assertThat(all(MessageState.SCHEDULED, 500)).containsExactly("soon", "later");
        assertThat(all(MessageState.READY, 500)).containsExactly("before", "now");
        assertThat(all(MessageState.LEASED, 500)).containsExactly("held", "held longer");
        assertThat(all(MessageState.SUSPECT, 500)).containsExactly("older suspect", "suspect");
        assertThat(Await.result(bench.store().find(bench.shard(), "suspect")).orElseThrow())
                .extracting(MessageSnapshot::state, MessageSnapshot::dueAt, MessageSnapshot::crashes)
                .containsExactly(MessageState.SUSPECT, Instant.ofEpochMilli(T0 - 10), 3);
        bench.clock(T0 + 1);
        assertThat(all(MessageState.SCHEDULED, 500)).containsExactly("later");
        assertThat(all(MessageState.READY, 500)).containsExactly("before", "now", "soon");
    }

    @ParameterizedTest
    @EnumSource
    void listAndFindReturnTheSameMessage(MessageState state) {
        bench.given(some());
        assertThat(list(state, null, 500).messages())
                .isNotEmpty()
                .allSatisfy(message -> assertThat(message)
                        .usingRecursiveComparison()
                        .isEqualTo(Await.result(bench.store().find(bench.shard(), message.id()))
                                .orElseThrow()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 500})
    void equalDueTimesGoOnInTheOrderOfTheirIdsBytes(int count) {
        List<String> ids = List.of("-", "A", "B", "a", "aa", "b", "ä", "€", "😀");
        ShardState state = state("scheduled z -1, scheduled 0 1");
        ids.forEach(id -> state.scheduled(id, T0));
        bench.given(state);
        List<String> expected = new ArrayList<>(ids);
        expected.add(0, "z");
        assertThat(all(MessageState.READY, count)).isEqualTo(expected);
        bench.clock(T0 - 2);
        expected.add("0");
        assertThat(all(MessageState.SCHEDULED, count)).isEqualTo(expected);
    }

    /** Whatever the server's collation, and whether the one behind which to begin is there, moved or never was. */
    @Test
    void aPlaceWithoutAMessageIsFound() {
        List<String> ids = List.of("B", "a", "aab", "ab", "b", "é", "€€");
        ShardState state = state("scheduled z -1, scheduled 0 1");
        ids.forEach(id -> state.scheduled(id, T0));
        bench.given(state);
        bench.clock(T0 + 5);
        for (String place : List.of("", "A", "Z", "aa", "aaa", "abc", "c", "z", "0", "~", "è", "ê", "€", "😀")) {
            List<String> expected = new ArrayList<>(
                    ids.stream().filter(id -> compareBytes(id, place) > 0).toList());
            expected.add("0");
            assertThat(ids(list(MessageState.READY, new Place(T0, place), 500)))
                    .as("behind '" + place + "'")
                    .isEqualTo(expected);
        }
        assertThat(ids(list(MessageState.READY, new Place(T0 - 100, "x"), 1))).containsExactly("z");
        assertThat(ids(list(MessageState.READY, new Place(T0 + 100, "x"), 1))).isEmpty();
    }

    private static int compareBytes(String one, String other) {
        return Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8));
    }

    @Test
    void aReadyPlaceThatWasLeftBehindGoesOnAmongTheScheduled() {
        bench.given(state("scheduled a 1, scheduled b 2, scheduled c 3"));
        Listing first = list(MessageState.SCHEDULED, null, 1);
        assertThat(ids(first)).containsExactly("a");
        bench.clock(T0 + 2);
        assertThat(ids(list(MessageState.SCHEDULED, first.next(), 1))).containsExactly("c");
    }

    @Test
    void whatScriptsThatStoppedMidwayLeftIsPassedOver() {
        bench.given(state("schedule orphan -9, leases orphan 29991, scheduled a 0, "
                + "scheduled both 1, leases both 30000, leased held 0 w1-1 30001"));
        assertThat(list(MessageState.READY, null, 1).messages()).isEmpty();
        assertThat(all(MessageState.READY, 1)).containsExactly("a");
        assertThat(all(MessageState.SCHEDULED, 1)).containsExactly("both");
        assertThat(all(MessageState.LEASED, 1)).containsExactly("held");
    }

    @Test
    void anUnreadableMessageDoesNotHideOthers() {
        bench.given(state("scheduled a 0, schedule b 0")
                .put("messages", "b", "9 what is this")
                .put("deliveries", "b", "nor this")
                .scheduled("c", T0));
        List<MessageSnapshot> messages = list(MessageState.READY, null, 500).messages();
        assertThat(messages).extracting(MessageSnapshot::id).containsExactly("a", "b", "c");
        assertThat(messages.get(1).lastFailure()).contains("format");
        assertThat(messages.get(1).envelope().payload()).asString(UTF_8).isEqualTo("9 what is this");
        assertThat(messages.get(1).envelope().sentAt()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void aPageEndsAtItsBytesButHasOneMessage() {
        int half = PollRequest.MAX_BYTES / 2;
        bench.send(
                Sends.large("a", T0, half - 1000),
                Sends.large("b", T0 + 1, half - 1000),
                Sends.large("c", T0 + 2, 100),
                Sends.large("d", T0 + 3, 2 * half),
                Sends.large("e", T0 + 4, half));
        bench.clock(T0 + 9);
        Listing first = list(MessageState.READY, null, 500);
        assertThat(ids(first)).containsExactly("a", "b", "c");
        Listing second = list(MessageState.READY, first.next(), 500);
        assertThat(ids(second)).containsExactly("d");
        Listing third = list(MessageState.READY, second.next(), 500);
        assertThat(ids(third)).containsExactly("e");
        assertThat(third.next()).isNull();
    }

    @Test
    void aMessageThatIsDueLastOfAllIsListed() {
        bench.send(Sends.at("a", PollReply.NEVER));
        assertThat(all(MessageState.SCHEDULED, 1)).containsExactly("a");
    }

    /** Thousands of messages at few due times, of which others come, go and move between the pages. */
    @ParameterizedTest
    @EnumSource
    void whatStaysIsOnExactlyOnePageWhateverElseMoves(MessageState state) {
        Random random = new Random(state.name().length());
        int count = 2000;
        long base = state == MessageState.READY ? T0 - 100 : T0 + 100;
        ShardState given = new ShardState();
        IntStream.range(0, count).forEach(i -> {
            long time = base + random.nextInt(4);
            if (state == MessageState.LEASED) {
                given.leased("m" + i, T0, "w1-1", time);
            } else if (state == MessageState.SUSPECT) {
                given.suspect("m" + i, time, 0, "/2/0", "");
            } else {
                given.scheduled("m" + i, time);
            }
        });
        bench.given(given);
        long score = state == MessageState.SUSPECT ? base + 1_000_000_000_000_000L : base;
        byte[] places = bench.key(state == MessageState.LEASED ? "leases" : "schedule");
        Set<String> moved = new HashSet<>();
        List<String> seen = new ArrayList<>();
        Place next = null;
        do {
            Listing page = list(state, next, 1 + random.nextInt(120));
            seen.addAll(ids(page));
            next = page.next();
            Place last = next;
            for (int i = 0; i < 20; i++) {
                String id = last != null && i == 0 ? last.id() : "m" + random.nextInt(count);
                if (!id.startsWith("new")) {
                    moved.add(id);
                }
                if (random.nextBoolean()) {
                    bench.redis().call("ZREM", places, id);
                } else {
                    bench.redis().call("ZADD", places, score + random.nextInt(6), id);
                }
                bench.redis().call("ZADD", places, score + random.nextInt(4), "new" + random.nextInt(1000));
            }
        } while (next != null);
        List<String> stayed = seen.stream().filter(id -> !moved.contains(id)).toList();
        assertThat(stayed).doesNotHaveDuplicates().hasSize(count - moved.size());
        assertThat(moved).hasSizeGreaterThan(100);
    }
}
