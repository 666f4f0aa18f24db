package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue of notifications: {@code notifications.lua}, and the notifications that the poll leaves. */
class DeadLetterNotificationTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private final Shard deadLettered = bench.shard().notifications();

    @Test
    void eachCauseOfADeadLetterLeavesANotification() {
        bench.store().enableNotifications(bench.shard()).join();
        bench.given(state("leased a 0 w1-1 9, leased b 0 w0-1 -1 3 /4/2! E: no, schedule c 0")
                .put("messages", "c", ShardState.message("+n e=5", 4, 5, "\nc")));
        bench.poll(Polls.by("w1", 2).claim(10).deadLetter("a", "w1-1", DeadLetterCause.REQUESTED));
        ShardState state = bench.state();
        assertThat(state.get("dead")).containsOnlyKeys("a@w1-1", "b@w0-1", "c@n.4");
        assertThat(state.get("notifications.schedule")).isEqualTo(state.get("dead"));
        assertThat(state.get("notifications.messages")).containsOnlyKeys("a@w1-1", "b@w0-1", "c@n.4");
    }

    @Test
    void aNotificationHasTheHeadersOfTheDeadLetteredMessage() {
        bench.store().enableNotifications(bench.shard()).join();
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
        bench.poll(Polls.by("w1", 2)
                .deadLetter("a", "w1-1", DeadLetterCause.REQUESTED)
                .deadLetter("none", "w1-1", DeadLetterCause.REQUESTED));

        PollReply claimed = poll(Polls.by("d1", 1).claim(10));
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
    void notificationsWithLongHeadersAreClaimedWithinTheByteBound() {
        ShardState state = new ShardState();
        for (String id : List.of("a", "b", "c")) {
            state.put("notifications.schedule", id + "@t", T0)
                    .put(
                            "notifications.messages",
                            id + "@t",
                            ShardState.message("", 5, 5, "baggage: " + "x".repeat(1000) + "\n\n"));
        }
        bench.given(state);

        assertThat(poll(Polls.by("d1", 1).claim(10).bytes(2500)).claims())
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
    void aNotificationIsReadableWhateverTheMessageWas(String stored) {
        bench.store().enableNotifications(bench.shard()).join();
        bench.given(new ShardState()
                .put("messages", "a", stored)
                .put("leases", "a", T0 + 9)
                .put("deliveries", "a", "w1-1 1 5 "));
        bench.poll(Polls.by("w1", 2).deadLetter("a", "w1-1", DeadLetterCause.UNREADABLE));

        PollReply claimed = poll(Polls.by("d1", 1).claim(10));
        assertThat(claimed.claims())
                .singleElement()
                .satisfies(claim -> assertThat(claim.envelope().headers()).isEmpty());
    }

    @Test
    void theDeadLettersOfBeforeHaveNoNotification() {
        bench.given(state("deadLetter a w1-1 0 REQUESTED 1 0"));
        bench.store().enableNotifications(bench.shard()).join();
        bench.store().enableNotifications(bench.shard().notifications()).join();
        assertThat(bench.state().get("notifications.schedule")).isEmpty();
        assertThat(bench.meta("meta")).containsEntry("notifications", "1");
        assertThat(bench.meta("notifications.meta")).doesNotContainKey("notifications");
    }

    @Test
    void aNotificationIsFoundAndCancelledByItsDeadLetter() {
        bench.given(state("notification a@w1-1 0"));
        assertThat(Await.result(bench.store().find(deadLettered, "a@w1-1"))).isPresent();
        assertThat(Calls.cancel(bench.store(), deadLettered, "a@w1-1").isCancelled())
                .isTrue();
        assertThat(bench.state()).hasToString("");
    }

    private PollReply poll(Polls poll) {
        return Polls.poll(bench.store(), deadLettered, poll.build());
    }
}
