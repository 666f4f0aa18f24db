package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Purge;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.Steps;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.Told;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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
        bench.store().attendDeaths(bench.shard());
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
    void theLettersOfBeforeHaveNoNotice() {
        bench.given(new ShardState().letter("a", "w1-1", T0, "BURIED", 1, T0, ""));
        bench.store().attendDeaths(bench.shard());
        bench.store().attendDeaths(bench.shard().deaths());
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
