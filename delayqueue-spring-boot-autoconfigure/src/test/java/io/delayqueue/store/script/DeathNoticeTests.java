package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Purge;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.Steps;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.Told;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lane of deaths: {@code attend.lua}, and the notices that the step leaves. */
class DeathNoticeTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private final Shard deaths = bench.shard().deaths();

    @Test
    void withoutAnybodyAttendingThereIsNoNotice() {
        bench.given(new ShardState().leased("a", T0, "w1-1", T0 + 9));
        bench.step(Steps.by("w1", 2).bury("a", "w1-1", DeathCause.BURIED));
        assertThat(bench.state().get("deaths.schedule")).isEmpty();
    }

    @Test
    void eachWayToDieLeavesANotice() {
        bench.store().attendDeathsAsync(bench.shard()).join();
        bench.given(new ShardState()
                .leased("a", T0, "w1-1", T0 + 9)
                .leased("b", T0, "w0-1", T0 - 1, 3, "E: no")
                .put("schedule", "c", T0)
                .put("messages", "c", ShardState.message("+n e=5", 4, 5, "\nc")));
        bench.step(Steps.by("w1", 2).claim(10).bury("a", "w1-1", DeathCause.BURIED));
        ShardState state = bench.state();
        assertThat(state.get("dead")).containsOnlyKeys("a@w1-1", "b@w0-1", "c@n.4");
        assertThat(state.get("deaths.schedule")).isEqualTo(state.get("dead"));
        assertThat(state.get("deaths.messages")).containsOnlyKeys("a@w1-1", "b@w0-1", "c@n.4");
    }

    @Test
    void aNoticeHasTheHeadersOfTheMessageThatDied() {
        bench.store().attendDeathsAsync(bench.shard()).join();
        String payload = "a\n\nb: c\n\n";
        long lineFeeds = 0x0A0A_0A0A;
        bench.given(new ShardState()
                .put(
                        "messages",
                        "a",
                        ShardState.message(
                                "n",
                                lineFeeds,
                                lineFeeds,
                                "traceparent: 00-1-2-01\nempty: \nper%25cent: 1%0A2\n\n" + payload))
                .put("leases", "a", T0 + 9)
                .put("deliveries", "a", "w1-1 1 5 ")
                .put("messages", "none", ShardState.message("", lineFeeds, lineFeeds, "\n" + payload))
                .put("leases", "none", T0 + 9)
                .put("deliveries", "none", "w1-1 1 5 "));
        bench.step(Steps.by("w1", 2).bury("a", "w1-1", DeathCause.BURIED).bury("none", "w1-1", DeathCause.BURIED));

        StepReply claimed = step(Steps.by("d1", 1).claim(10));
        assertThat(claimed.claims())
                .extracting(
                        Claim::id,
                        claim -> claim.envelope().headers(),
                        claim -> claim.envelope().payload().length)
                .containsExactly(
                        tuple("a@w1-1", Map.of("traceparent", "00-1-2-01", "empty", "", "per%cent", "1\n2"), 0),
                        tuple("none@w1-1", Map.of(), 0));
    }

    @Test
    void noticesWithLongHeadersAreClaimedWithinTheByteBound() {
        ShardState state = new ShardState();
        for (String id : List.of("a", "b", "c")) {
            state.put("deaths.schedule", id + "@t", T0)
                    .put(
                            "deaths.messages",
                            id + "@t",
                            ShardState.message("", 5, 5, "baggage: " + "x".repeat(1000) + "\n\n"));
        }
        bench.given(state);

        assertThat(step(Steps.by("d1", 1).claim(10).bytes(2500)).claims())
                .extracting(Claim::id)
                .containsExactly("a@t", "b@t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1timestimes12n\nno colon\n\npayload",
                "1timestimes12n\nname: no end",
                "1timestimes12n\n",
                "1timestimes12n",
                "1\n\n",
                "somebody else's",
                ""
            })
    void aNoticeIsReadableWhateverTheMessageWas(String stored) {
        bench.store().attendDeathsAsync(bench.shard()).join();
        bench.given(new ShardState()
                .put("messages", "a", stored)
                .put("leases", "a", T0 + 9)
                .put("deliveries", "a", "w1-1 1 5 "));
        bench.step(Steps.by("w1", 2).bury("a", "w1-1", DeathCause.UNREADABLE));

        StepReply claimed = step(Steps.by("d1", 1).claim(10));
        assertThat(claimed.claims())
                .singleElement()
                .satisfies(claim -> assertThat(claim.envelope().headers()).isEmpty());
    }

    @Test
    void theLettersOfBeforeHaveNoNotice() {
        bench.given(new ShardState().letter("a", "w1-1", T0, "BURIED", 1, T0, ""));
        bench.store().attendDeathsAsync(bench.shard()).join();
        bench.store().attendDeathsAsync(bench.shard().deaths()).join();
        assertThat(bench.state().get("deaths.schedule")).isEmpty();
        assertThat(bench.meta("meta")).containsEntry("notices", "1");
        assertThat(bench.meta("deaths.meta")).doesNotContainKey("notices");
    }

    @Test
    void aNoticeLivesLikeAMessage() {
        bench.given(new ShardState()
                .letter("a", "w1-1", T0, "BURIED", 1, T0, "E: no")
                .notice("a@w1-1", T0));
        StepReply claimed = step(Steps.by("d1", 1).claim(10));
        assertThat(Told.of(claimed)).isEqualTo("claimed a@w1-1#1@0, due never, lease 30000");
        assertThat(claimed.claims().get(0).envelope().payload()).isEmpty();
        assertThat(Told.of(step(Steps.by("d1", 2).retry("a@w1-1", "d1-1", 7)))).isEqualTo("due 7, lease never");
        bench.clock(T0 + 7);
        assertThat(Told.of(step(Steps.by("d1", 3).claim(10)))).startsWith("claimed a@w1-1#2@7(E: no)");
        assertThat(Told.of(step(Steps.by("d1", 4).acknowledge("a@w1-1", "d1-3"))))
                .isEqualTo("due never, lease never");
        assertThat(bench.state())
                .hasToString(new ShardState()
                        .letter("a", "w1-1", T0, "BURIED", 1, T0, "E: no")
                        .toString());
    }

    @Test
    void aNoticeThatIsGivenUpLeavesNoLetterOfItsOwn() {
        bench.given(new ShardState().notice("a@w1-1", T0).notice("b@w1-1", T0));
        step(Steps.by("d1", 1).claim(10));
        assertThat(Told.of(step(Steps.by("d1", 2).bury("a@w1-1", "d1-1", DeathCause.ATTEMPTS_SPENT))))
                .isEqualTo("died a@w1-1:ATTEMPTS_SPENT, due never, lease 30000");
        assertThat(bench.state().get("deaths.messages")).containsOnlyKeys("b@w1-1");
        assertThat(bench.state().get("dead")).isEmpty();
    }

    @Test
    void aNoticeWhoseLeaseIsOverTooOftenIsDropped() {
        bench.given(new ShardState()
                .put("deaths.messages", "a@w1-1", ShardState.message("", 5, 5, "\n"))
                .put("deaths.leases", "a@w1-1", T0 - 1)
                .put("deaths.deliveries", "a@w1-1", "d0-1 3 5 "));
        assertThat(Told.of(step(Steps.by("d1", 1)))).isEqualTo("died a@w1-1:LEASE_OVER, due never, lease never");
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void aNoticeGoesWithItsLetter() {
        bench.given(
                new ShardState().letter("a", "w1-1", T0, "BURIED", 1, T0, "").notice("a@w1-1", T0));
        step(Steps.by("d1", 1).claim(10));
        bench.store().purge(bench.shard(), new Purge.Named(List.of("a@w1-1")));
        assertThat(Told.of(step(Steps.by("d1", 2).acknowledge("a@w1-1", "d1-1"))))
                .startsWith("gone a@w1-1,");
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void aNoticeIsFoundAndCancelledByItsLetter() {
        bench.given(new ShardState().notice("a@w1-1", T0));
        assertThat(bench.store().find(deaths, "a@w1-1")).isPresent();
        assertThat(bench.store().cancel(deaths, "a@w1-1").isCancelled()).isTrue();
        assertThat(bench.state()).hasToString("");
    }

    private StepReply step(Steps step) {
        return bench.store().step(deaths, step.build());
    }
}
