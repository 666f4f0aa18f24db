package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The per-key limit of a fair topic. */
class KeyLimitTests extends KeyLimitTest {

    @Test
    void aKeyHasNoTurnWhileItsLimitIsReached() {
        limit(2);
        send("a", 4);
        send("b", 1);
        PollReply first = bench.poll(poll().claim(10));
        assertThat(ids(first)).containsExactlyInAnyOrder("a0", "a1", "b0");
        assertThat(first.nextDueMillis()).as("nothing can be claimed").isGreaterThan(T0 + 1_000_000_000L);
        assertThat(allKeysAtLimit()).isTrue();
        assertThat(claim(10)).isEmpty();

        // one poll gives the place back and takes it
        Claim a0 = first.claims().stream()
                .filter(claim -> claim.id().equals("a0"))
                .findFirst()
                .orElseThrow();
        assertThat(ids(bench.poll(poll().claim(10).acknowledge("a0", a0.token()))))
                .containsExactly("a2");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void messagesWithoutAKeyShareALimit() {
        limit(1);
        bench.send(
                Sends.keyed("x", null, new Due(0, true), OnDuplicate.REJECT, "1"),
                Sends.keyed("y", null, new Due(0, true), OnDuplicate.REJECT, "2"));

        assertThat(claim(10)).containsExactly("x");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void keysWhoseLimitIsReachedHideNoOthers() {
        limit(1);
        for (int key = 0; key < 600; key++) {
            send("k" + key + "-", 2);
        }
        assertThat(claim(500)).hasSize(500);
        assertThat(claim(500)).hasSize(100);
        send("other", 1);

        assertThat(claim(1)).containsExactly("other0");
        Map<String, Long> commands = bench.commands(() -> claim(10));
        assertThat(commands.values().stream().mapToLong(Long::longValue).sum())
                .as("commands of a poll that finds nothing: " + commands)
                .isLessThan(12);
    }

    @Test
    void aKeyThatHasATurnAgainSavedNothingUp() {
        limit(1);
        send("a", 20);
        send("b", 20);
        List<Claim> claims = bench.poll(poll().claim(2)).claims();
        for (int i = 0; i < 10; i++) {
            // only b goes on
            Claim b = claims.stream()
                    .filter(claim -> claim.id().startsWith("b"))
                    .findFirst()
                    .orElseThrow();
            claims = bench.poll(poll().claim(2).acknowledge(b.id(), b.token())).claims();
        }
        set(TopicLimits.NONE);

        assertThat(claim(4).stream().filter(id -> id.startsWith("a"))).hasSizeBetween(2, 3);
    }

    private record End(BiConsumer<KeyLimitTests, Claim> ending) {}

    private static Stream<Named<End>> ends() {
        return Stream.of(
                end("acknowledge", (test, claim) -> bench.poll(test.poll().acknowledge(claim.id(), claim.token()))),
                end("retry", (test, claim) -> bench.poll(test.poll().retry(claim.id(), claim.token(), 90_000))),
                end(
                        "postpone",
                        (test, claim) -> bench.poll(test.poll().postpone(claim.id(), claim.token(), 90_000, 0))),
                end("release", (test, claim) -> bench.poll(test.poll().release(claim.id(), claim.token(), 90_000))),
                end(
                        "dead letter",
                        (test, claim) -> bench.poll(
                                test.poll().deadLetter(claim.id(), claim.token(), DeadLetterCause.REQUESTED))),
                end("cancel", (test, claim) -> bench.cancel(claim.id())),
                end("replace by another key", (test, claim) -> {
                    bench.send(message(claim.id(), "other", OnDuplicate.REPLACE));
                    bench.cancel(claim.id());
                }),
                end("successor with another key", (test, claim) -> {
                    bench.send(message(claim.id(), "other", OnDuplicate.AFTER_RUNNING));
                    bench.poll(test.poll().acknowledge(claim.id(), claim.token()));
                    bench.cancel(claim.id());
                }),
                end("crash", (test, claim) -> {
                    bench.clock(T0 + 40_000);
                    bench.poll(test.poll());
                    bench.cancel(claim.id());
                }),
                end("crash of a suspect", (test, claim) -> {
                    for (int crash = 1; crash <= 2; crash++) {
                        bench.clock(T0 + crash * 40_000L);
                        assertThat(ids(bench.poll(test.poll().claim(crash == 1 ? 1 : 0))))
                                .hasSizeLessThanOrEqualTo(1);
                    }
                }));
    }

    private static Named<End> end(String name, BiConsumer<KeyLimitTests, Claim> ending) {
        return Named.of(name, new End(ending));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void whatEndsALeaseGivesItsPlaceBack(End end) {
        limit(1);
        send("a", 2);
        Claim claim = bench.poll(poll().claim(10)).claims().get(0);
        assertThat(claim(10)).isEmpty();

        end.ending().accept(this, claim);

        assertThat(claim(10)).containsExactly("a1");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void aSuspectWaitsForAPlaceOfItsKey() {
        limit(1);
        send("a", 1);
        for (int crash = 1; crash <= 2; crash++) {
            assertThat(claim(1)).containsExactly("a0");
            bench.clock(T0 + crash * 40_000L);
            bench.poll(poll());
        }
        bench.send(message("a1", "a", OnDuplicate.REJECT));
        PollReply other = bench.poll(poll().claim(10));
        assertThat(ids(other)).containsExactly("a1");
        assertThat(other.suspectsLeft()).isTrue();

        PollReply waiting = bench.poll(poll().claim(10).claimSuspect());
        assertThat(waiting.claims()).isEmpty();
        assertThat(waiting.suspectsLeft()).as("it may be claimed").isFalse();

        String token = other.claims().get(0).token();
        assertThat(bench.signals(store -> bench.poll(poll().acknowledge("a1", token))))
                .anyMatch(signal -> signal.startsWith("s"));
        assertThat(ids(bench.poll(poll().claim(10).claimSuspect()))).containsExactly("a0");
    }

    @Test
    void aSuspectIsClaimedBeforeOthersOfItsKey() {
        limit(1);
        crashTwice("a");
        send("b", 3);
        bench.send(message("a1", "a", OnDuplicate.REJECT));

        assertThat(ids(bench.poll(poll().claim(10).claimSuspect()))).containsExactlyInAnyOrder("a0", "b0");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void aSuspectDoesNotWaitForAnotherOneWhoseKeyIsAtItsLimit() {
        limit(1);
        crashTwice("a");
        crashTwice("b");
        bench.send(message("a1", "a", OnDuplicate.REJECT));
        assertThat(claim(10)).containsExactly("a1");

        assertThat(ids(bench.poll(poll().claim(10).claimSuspect()))).containsExactly("b0");
    }

    private long time = T0;

    /** Sends the first message of a key, and makes it a suspect. */
    private void crashTwice(String key) {
        send(key, 1);
        for (int crash = 0; crash < 2; crash++) {
            assertThat(claim(1)).containsExactly(key + 0);
            time += 40_000;
            bench.clock(time);
            bench.poll(poll());
        }
    }

    /** Where a poll stops, its message may be counted, leased or both. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aKeyContinuesWhereverAPollStopped(boolean repeated) {
        int write = 0;
        for (boolean stops = true; stops; write++) {
            bench.reset();
            limit(1);
            send("a", 2);
            bench.stoppedBefore("poll", write);
            stops = bench.stops(() -> bench.poll(Polls.by("lost", 1).claim(1)));
            bench.undisturbed();
            bench.poll(Polls.by("w2", 1).claim(10).gap(Duration.ofDays(1)));
            if (repeated) {
                bench.poll(Polls.by("lost", 1).claim(1));
            }
            bench.clock(T0 + 40_000);
            Set<String> handled = new TreeSet<>();
            for (int poll = 2; poll < 12; poll++) {
                Polls next = Polls.by("w2", 2L * poll).claim(10).gap(Duration.ofDays(1));
                List<Claim> claims = bench.poll(next).claims();
                assertThat(claims).hasSizeLessThan(2);
                Polls settling = Polls.by("w2", 2L * poll + 1).gap(Duration.ofDays(1));
                claims.forEach(claim -> settling.acknowledge(claim.id(), claim.token()));
                claims.forEach(claim -> handled.add(claim.id()));
                bench.poll(settling);
            }
            assertThat(handled).as("after a stop before write " + write).containsExactly("a0", "a1");
            assertThat(bench.redis().call("ZCARD", bench.key("parked"))).isEqualTo(1L);
            assertThat(bench.redis().call("ZCARD", bench.key("active"))).isEqualTo(1L);
        }
        assertThat(write).isGreaterThan(5);
    }

    @Test
    void aRaisedLimitWakesPollers() {
        limit(1);
        send("a", 3);
        claim(10);

        assertThat(bench.signals(store -> limit(2))).anyMatch(signal -> signal.startsWith("s"));
        claim(10);
        assertThat(bench.signals(store -> set(TopicLimits.NONE))).anyMatch(signal -> signal.startsWith("s"));
    }

    @Test
    void aChangedLimitAppliesFromTheNextClaim() {
        send("a", 6);
        assertThat(claim(2)).containsExactly("a0", "a1");

        limit(2);
        assertThat(claim(10)).as("what was leased before counts").isEmpty();
        limit(3);
        assertThat(claim(10)).containsExactly("a2");
        limit(1);
        assertThat(claim(10)).isEmpty();
        set(TopicLimits.NONE);
        assertThat(claim(10)).containsExactly("a3", "a4", "a5");
    }

    /** A send that stopped left the place of a message under another key. */
    @Test
    @SuppressWarnings("unchecked")
    void aMessageCountsForItsOwnKey() {
        limit(1);
        send("a", 2);
        byte[] place = ((List<byte[]>) requireNonNull(bench.redis().call("ZRANGE", bench.key("parked"), 0, 0))).get(0);
        byte[] wrong = place.clone();
        wrong[0] = 'b';
        bench.redis().call("ZADD", bench.key("parked"), 0, wrong);
        bench.redis().call("ZADD", bench.key("active"), 0, "b");

        List<Claim> claims = bench.poll(poll().claim(10)).claims();
        assertThat(claims).extracting(Claim::id).containsExactly("a0");
        assertThat(ids(bench.poll(
                        poll().claim(10).acknowledge("a0", claims.get(0).token()))))
                .containsExactly("a1");
    }

    @Test
    void theLimitOfTheTopicAppliesToo() {
        set(new TopicLimits(3, 2, null, null));
        send("a", 4);
        send("b", 4);

        assertThat(claim(10)).hasSize(3).containsOnlyOnce("a0", "b0");
        assertThat(claim(10)).isEmpty();
        assertThat(allKeysAtLimit()).isFalse();
    }

    @Test
    void anExpiredMessageTakesNoPlace() {
        limit(1);
        bench.send(OutgoingMessage.of(
                "a0",
                new Due(0, true),
                OnDuplicate.REJECT,
                "n",
                new MessageLimits(null, null, Duration.ofMillis(1), null),
                "a",
                Map.of(),
                "x".getBytes(UTF_8)));
        bench.send(message("a1", "a", OnDuplicate.REJECT));
        bench.clock(T0 + 10);
        claim(10);

        assertThat(bench.state().get("leases").keySet()).isSubsetOf("a1");
        claim(10);
        assertThat(bench.state().get("leases")).containsOnlyKeys("a1");
    }

    @Test
    void onlyAFairTopicHasALimitForEachKey() {
        TopicLimits limits = new TopicLimits(null, 2, null, null);
        bench.redis().call("HSET", bench.keySpace().topics(), "plain", "1:17");

        for (String topic : List.of("plain", "unregistered")) {
            assertThatThrownBy(() -> Await.result(bench.process().limiter().set(topic, limits)))
                    .isInstanceOf(UnusableLimitsException.class)
                    .hasMessage("Topic " + topic
                            + " is not fair, but max-concurrent-per-key requires keys=fair. Its limits were not changed."
                            + " Delete the topic when it is empty, and register it with keys=fair.");
        }
        assertThat(bench.redis().text("HGET", bench.keySpace().topics(), "plain"))
                .isEqualTo("1:17");
        assertThat(bench.redis().call("HEXISTS", bench.keySpace().topics(), "unregistered"))
                .isEqualTo(0L);
    }
}
