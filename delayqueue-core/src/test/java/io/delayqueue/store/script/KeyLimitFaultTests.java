package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.bench.Sends;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The per-key limit when scripts stop midway and are not repeated, when foreign clients remove messages, and with many keys
 * or leases. In the tests with stops, the number of the write before which a script stops goes beyond its last one.
 */
class KeyLimitFaultTests extends KeyLimitTest {

    private static final int WRITES = 16;

    /** Whether the lease of a claim is renewed. */
    private boolean isHeld(Claim claim) {
        return bench.poll(poll().renew(claim.id(), claim.token(), 30_000).reclaim(0))
                .rejected()
                .isEmpty();
    }

    private static void stopBefore(String script, int write, Runnable call) {
        bench.stoppedBefore(script, write);
        bench.stops(call);
        bench.undisturbed();
    }

    private Claim onlyClaimOfThree() {
        bench.reset();
        limit(1);
        send("a", 3);
        Claim a0 = bench.poll(poll().claim(10)).claims().get(0);
        assertThat(claim(10)).isEmpty();
        return a0;
    }

    private void checkOneLease(Claim a0, int write) {
        int held = isHeld(a0) ? 1 : 0;
        long others = claim(10).stream().filter(id -> !id.equals("a0")).count();
        assertThat(held + others)
                .as("leases after a stop before write " + write)
                .isLessThanOrEqualTo(1);
    }

    @Test
    void aCancelThatStoppedGivesNoLeaseAwayThatIsStillHeld() {
        for (int write = 0; write < WRITES; write++) {
            Claim a0 = onlyClaimOfThree();
            stopBefore("cancel", write, () -> bench.cancel("a0"));
            checkOneLease(a0, write);
        }
    }

    @Test
    void aReplacementThatStoppedGivesNoLeaseAwayThatIsStillHeld() {
        for (int write = 0; write < WRITES; write++) {
            Claim a0 = onlyClaimOfThree();
            stopBefore("send", write, () -> bench.send(message("a0", "b", OnDuplicate.REPLACE)));
            checkOneLease(a0, write);
        }
    }

    @Test
    void aReclaimThatStoppedGivesNoLeaseAwayThatIsRenewed() {
        for (int write = 0; write < WRITES; write++) {
            Claim a0 = onlyClaimOfThree();
            bench.clock(T0 + 40_000);
            stopBefore("poll", write, () -> bench.poll(poll("w2")));
            int held = isHeld(a0) ? 1 : 0;
            for (int i = 0; i < 4; i++) {
                bench.poll(poll("w2").claim(10).reclaim(0));
            }
            long others = bench.state().get("leases").keySet().stream()
                    .filter(id -> !id.equals("a0"))
                    .count();
            assertThat(held + others)
                    .as("leases after a stop before write " + write)
                    .isLessThanOrEqualTo(1);
        }
    }

    @Test
    void aClaimThatStoppedBeforeItsLeaseTakesNoPlace() {
        for (int write = 0; write < WRITES; write++) {
            bench.reset();
            limit(2);
            send("a", 1);
            stopBefore("poll", write, () -> bench.poll(poll().claim(10)));
            int leased = bench.state().get("leases").size();
            bench.send(
                    Sends.keyed("early1", "a", new Due(T0 - 1000, false), OnDuplicate.REJECT, "e1"),
                    Sends.keyed("early2", "a", new Due(T0 - 999, false), OnDuplicate.REJECT, "e2"));

            List<String> claimed = new ArrayList<>(ids(bench.poll(poll("w2").claim(10))));
            claimed.addAll(ids(bench.poll(poll("w2").claim(10))));
            assertThat(claimed).as("after a stop before write " + write).hasSize(2 - leased);
        }
    }

    @Test
    void aChangeOfTheLimitThatStoppedIsCompletedByItsRepeat() {
        for (int write = 0; write < WRITES; write++) {
            onlyClaimOfThree();
            stopBefore("limits", write, () -> set(TopicLimits.NONE));
            set(TopicLimits.NONE);
            assertThat(claim(10)).as("after a stop before write " + write).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acknowledge", "retry", "cancel", "crash"})
    void aKeyContinuesAfterAForeignClientRemovedItsMessage(String end) {
        Claim a0 = onlyClaimOfThree();
        bench.redis().call("HDEL", bench.key("messages"), "a0");
        switch (end) {
            case "acknowledge" -> bench.poll(poll().acknowledge("a0", a0.token()));
            case "retry" -> bench.poll(poll().retry("a0", a0.token(), 10));
            case "cancel" -> bench.cancel("a0");
            default -> bench.clock(T0 + 40_000);
        }
        bench.poll(poll());

        assertThat(claim(10)).containsExactly("a1");
    }

    @Test
    void aLimitMayBeSetWhileAKeyHasManyLeases() {
        for (int i = 0; i < 20; i++) {
            int from = 500 * i;
            bench.send(IntStream.range(from, from + 500)
                    .mapToObj(n -> message("m" + n, "many", OnDuplicate.REJECT))
                    .toList());
            assertThat(claim(500)).hasSize(500);
        }
        bench.send(message("more", "many", OnDuplicate.REJECT), message("b", "b", OnDuplicate.REJECT));
        limit(2);

        assertThat(claim(10)).containsExactly("b");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void keysThatAreAtTheirLimitWhenTheirNextMessageIsDueHideNoOthers() {
        limit(1);
        for (int key = 0; key < 50; key++) {
            send("k" + key + "-", 1);
        }
        assertThat(claim(500)).hasSize(50);
        for (int key = 0; key < 50; key++) {
            bench.send(message("next" + key, "k" + key + "-", OnDuplicate.REJECT));
        }
        send("other", 1);

        assertThat(claim(1)).containsExactly("other0");
    }

    @Test
    void aLiftedHoldWakesPollers() {
        send("a", 3);
        Claim a0 = bench.poll(poll().claim(1)).claims().get(0);
        bench.poll(poll().claim(1).hold("a0", a0.token(), 3_600_000));
        assertThat(claim(1)).isEmpty();

        assertThat(bench.signals(store -> Await.result(
                        bench.process().limiter().liftHold(bench.shard().topic()))))
                .anyMatch(signal -> signal.startsWith("s"));
    }

    @Test
    void theLimitHoldsNothingBackIfAnotherKeyIsDue() {
        onlyClaimOfThree();
        assertThat(allKeysAtLimit()).isTrue();
        send("b", 1);
        assertThat(allKeysAtLimit()).isFalse();
    }
}
