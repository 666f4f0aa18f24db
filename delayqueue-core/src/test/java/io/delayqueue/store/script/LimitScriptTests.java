package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.redis.Await;
import io.delayqueue.store.LimitState;
import io.delayqueue.store.LimitState.Hold;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.StoreBench.QueueProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of a topic in the registry and in its shard: {@code limit.lua}, {@code limits.lua}, {@code open.lua}. */
class LimitScriptTests {

    private static final String TOPIC = "orders";
    private static final TopicLimits THREE = new TopicLimits(3, Rate.parse("100/1m"), 1_000_000L);
    private static final TopicLimits ONE = new TopicLimits(1, null, null);
    private static final String HELD = (T0 + 5000) + " 3 a b";

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static TopicLimiter limiter() {
        return bench.process().limiter();
    }

    private static QueueProcess another() {
        return bench.another(UnaryOperator.identity());
    }

    private static String registered() {
        return bench.redis().text("HGET", bench.keySpace().topics(), TOPIC);
    }

    /** The registration after the epoch. */
    private static String registeredLimits() {
        return registered().replaceFirst("^1:\\d+", "");
    }

    private static void meta(String field, String value) {
        bench.redis().call("HSET", bench.key("meta"), field, value);
    }

    private static String applied() {
        return bench.meta("meta").get("limits");
    }

    private static void send(QueueProcess process, String id) {
        Calls.send(process.store(), bench.shard(), List.of(Sends.at(id, T0)));
    }

    @Test
    void limitsOfBothKindsAreKeptApart() {
        String before = registered();
        assertThat(Await.result(limiter().declare(TOPIC, THREE))).isEqualTo(RegisteredLimits.NONE);
        assertThat(registered()).isEqualTo(before + " c3 100/60000/- 1000000");
        assertThat(applied()).isEqualTo("3 631579 6 1000000");

        Await.result(limiter().set(TOPIC, ONE));
        assertThat(registered()).isEqualTo(before + " c3 100/60000/- 1000000 s1 0 0");
        assertThat(applied()).isEqualTo("1 0 0 0");
        assertThat(Await.result(limiter().read(TOPIC))).hasValue(new RegisteredLimits(THREE, ONE));

        assertThat(Await.result(limiter().declare(TOPIC, new TopicLimits(2, null, null))))
                .isEqualTo(new RegisteredLimits(THREE, ONE));
        assertThat(applied()).as("those that were set take precedence").isEqualTo("1 0 0 0");

        Await.result(limiter().clear(TOPIC));
        assertThat(registered()).isEqualTo(before + " c2 0 0");
        assertThat(applied()).isEqualTo("2 0 0 0");

        Await.result(limiter().clearDeclared(TOPIC));
        assertThat(registered()).isEqualTo(before);
        assertThat(bench.meta("meta")).doesNotContainKey("limits");
    }

    @Test
    void noLimitsThatAreSetLiftThoseThatAreDeclared() {
        Await.result(limiter().declare(TOPIC, THREE));
        Await.result(limiter().set(TOPIC, TopicLimits.NONE));
        assertThat(registeredLimits()).isEqualTo(" c3 100/60000/- 1000000 s0 0 0");
        assertThat(bench.meta("meta")).doesNotContainKey("limits");
    }

    @Test
    void limitsOfATopicThatIsNotRegistered() {
        bench.redis().call("FLUSHALL");
        bench.restartProcess();
        bench.clock(T0);
        Await.result(limiter().clear(TOPIC));
        Await.result(limiter().clearDeclared(TOPIC));
        Await.result(limiter().apply(TOPIC));
        assertThat(Await.result(limiter().liftHold(TOPIC))).isFalse();
        assertThat(Await.result(limiter().read(TOPIC))).isEmpty();
        assertThat(bench.redis().call("EXISTS", bench.keySpace().topics())).isEqualTo(0L);

        Await.result(limiter().set(TOPIC, ONE));
        assertThat(registered()).isEqualTo("1:" + T0 * 1000 + " s1 0 0");
        assertThat(bench.redis().call("EXISTS", bench.key("meta")))
                .as("the shard is not created")
                .isEqualTo(0L);
        send(bench.process(), "a");
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    @Test
    void aMessageThatIsLeasedInATopicWithLimitsIsFound() {
        Await.result(limiter().set(TOPIC, ONE));
        bench.send(Sends.at("a", T0));
        bench.poll(Polls.by("w1", 1).claim(1));

        assertThat(Await.result(bench.store().find(bench.shard(), "a")))
                .get()
                .extracting(MessageSnapshot::state, MessageSnapshot::holder)
                .containsExactly(MessageState.LEASED, "w1");
    }

    @Test
    void aTopicWithSeveralShardsGetsNoLimits() {
        bench.redis().call("HSET", bench.keySpace().topics(), "wide", "4:17");
        assertThatThrownBy(() -> Await.result(limiter().set("wide", ONE)))
                .isInstanceOf(UnusableLimitsException.class)
                .hasMessageContaining("Topic wide has 4 shards, but a topic with limits must have one.");
        assertThatThrownBy(() -> Await.result(limiter().declare("wide", ONE)))
                .isInstanceOf(UnusableLimitsException.class);
        Await.result(limiter().clear("wide"));
        Await.result(limiter().apply("wide"));
        assertThat(bench.redis().text("HGET", bench.keySpace().topics(), "wide"))
                .isEqualTo("4:17");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1:17 x1 0 0", "1:17 c1", "1:17c1 0 0", "1:17 c1 0 0 c1 0 0", "1:17 c0 0/1/- 0", "1:17 "})
    void aRegistrationOfALaterVersionIsLeftAlone(String registration) {
        bench.redis().call("HSET", bench.keySpace().topics(), TOPIC, registration);
        bench.restartProcess();
        assertThatThrownBy(() -> send(bench.process(), "a"))
                .isInstanceOf(TopicConflictException.class)
                .hasMessageContaining("registered as 1:17");
        assertThat(another().registry().topics().join()).doesNotContain(TOPIC);
        assertThat(registered()).isEqualTo(registration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1:17 c1", "1:17 x", "x", "1:17 c1 0 0 c1 0 0", "1:17 c1 0 0 0"})
    void aRegistrationOfALaterVersionGetsNoLimits(String registration) {
        bench.redis().call("HSET", bench.keySpace().topics(), TOPIC, registration);
        bench.restartProcess();
        assertThatThrownBy(() -> Await.result(limiter().set(TOPIC, ONE)))
                .isInstanceOf(TopicConflictException.class)
                .hasMessageContaining("registered as " + registration);
        assertThat(registered()).isEqualTo(registration);
    }

    @Test
    void aLostRegistrationIsMadeAnewWithTheLimitsThatAreKnown() {
        Await.result(limiter().declare(TOPIC, THREE));
        Await.result(limiter().set(TOPIC, ONE));
        bench.redis().call("FLUSHALL");
        bench.clock(T0 + 1);
        send(bench.process(), "a");
        assertThat(registeredLimits()).isEqualTo(" c3 100/60000/- 1000000 s1 0 0");
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    @Test
    void aProcessRegistersATopicWithTheLimitsThatItDeclares() {
        bench.redis().call("FLUSHALL");
        bench.clock(T0);
        send(bench.declaring(Map.of(TOPIC, THREE)), "a");
        assertThat(registeredLimits()).isEqualTo(" c3 100/60000/- 1000000");
        assertThat(applied()).isEqualTo("3 631579 6 1000000");
    }

    @Test
    void anExistingRegistrationKeepsItsLimits() {
        Await.result(limiter().declare(TOPIC, ONE));
        send(bench.declaring(Map.of(TOPIC, THREE)), "a");
        assertThat(registeredLimits()).isEqualTo(" c1 0 0");
        send(another(), "b");
        assertThat(registeredLimits()).isEqualTo(" c1 0 0");
    }

    @Test
    void aLaterEpochKeepsTheLimits() {
        Await.result(limiter().set(TOPIC, ONE));
        bench.process().registry().identity(bench.shard(), true, T0 * 1000 + 5).join();
        assertThat(registered()).isEqualTo("1:" + (T0 * 1000 + 6) + " s1 0 0");
        send(bench.process(), "a");
        assertThat(bench.meta("meta")).containsEntry("identity", "1:1:" + (T0 * 1000 + 6) + " special");
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    @Test
    void openingRemovesLimitsThatTheTopicNoLongerHas() {
        meta("limits", "1 0 0 0");
        meta("identity", "1:1:17");
        send(bench.process(), "a");
        assertThat(bench.meta("meta")).doesNotContainKey("limits");
    }

    @Test
    void openingKeepsAHold() {
        meta("hold", HELD);
        meta("identity", "1:1:17");
        send(bench.process(), "a");
        assertThat(bench.meta("meta")).containsEntry("limits", "0 0 0 0").containsEntry("hold", HELD);
    }

    @Test
    void aDeletedTopicHasNoLimits() {
        Await.result(limiter().set(TOPIC, ONE));
        QueueProcess deleter = another();
        assertThat(deleter.deletion().delete(TOPIC)).isTrue();
        assertThat(another().registry().topics().join()).isEmpty();
        send(deleter, "a");
        assertThat(registeredLimits()).isEmpty();
        assertThat(bench.meta("meta")).doesNotContainKey("limits");
    }

    @Test
    void aHoldStaysWithoutLimitsUntilItIsLifted() {
        Await.result(limiter().set(TOPIC, ONE));
        meta("hold", HELD);
        Await.result(limiter().clear(TOPIC));
        assertThat(bench.meta("meta")).containsEntry("limits", "0 0 0 0").containsEntry("hold", HELD);
        assertThat(Await.result(limiter().liftHold(TOPIC))).isTrue();
        assertThat(bench.meta("meta")).doesNotContainKeys("limits", "hold");
        assertThat(Await.result(limiter().liftHold(TOPIC))).isFalse();
    }

    @Test
    void aHoldIsLiftedAndTheLimitsStay() {
        Await.result(limiter().set(TOPIC, ONE));
        meta("hold", HELD);
        meta("arrival", "17");
        assertThat(Await.result(limiter().liftHold(TOPIC))).isTrue();
        assertThat(bench.meta("meta"))
                .containsEntry("limits", "1 0 0 0")
                .containsEntry("arrival", "17")
                .doesNotContainKey("hold");
    }

    private static List<String> signals(ShardState state, Consumer<TopicLimiter> change) {
        bench.given(state);
        return bench.signals(store -> change.accept(limiter()));
    }

    @Test
    void dueMessagesAreSignalledIfTheLimitsChange() {
        ShardState due = state("scheduled a 0");
        ShardState later = state("scheduled a 1");
        List<String> signal = List.of("s orders:0.0 -");
        assertThat(signals(due, limiter -> Await.result(limiter.set(TOPIC, ONE))))
                .isEqualTo(signal);
        assertThat(signals(due, limiter -> Await.result(limiter.set(TOPIC, ONE))))
                .as("nothing changed")
                .isEmpty();
        assertThat(signals(due, limiter -> Await.result(limiter.clear(TOPIC)))).isEqualTo(signal);
        meta("hold", HELD);
        assertThat(signals(due, limiter -> Await.result(limiter.liftHold(TOPIC))))
                .isEqualTo(signal);
        assertThat(signals(later, limiter -> Await.result(limiter.set(TOPIC, THREE))))
                .isEmpty();
    }

    @Test
    void limitsChangeWhenMemoryIsFull() {
        meta("hold", HELD);
        bench.redis().call("CONFIG", "SET", "maxmemory", "1");
        try {
            Await.result(limiter().set(TOPIC, ONE));
            Await.result(limiter().declare(TOPIC, THREE));
            assertThat(Await.result(limiter().liftHold(TOPIC))).isTrue();
        } finally {
            bench.redis().call("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(registeredLimits()).isEqualTo(" c3 100/60000/- 1000000 s1 0 0");
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    @Test
    void executedTwiceAChangeIsTheSame() {
        bench.twice();
        assertThat(Await.result(limiter().declare(TOPIC, THREE)).declared())
                .as("the second execution finds what the first one wrote")
                .isEqualTo(THREE);
        bench.undisturbed();
        assertThat(registeredLimits()).isEqualTo(" c3 100/60000/- 1000000");
        assertThat(applied()).isEqualTo("3 631579 6 1000000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit", "limits"})
    void theRepeatCompletesAChangeThatStopped(String script) {
        for (int write = 0; ; write++) {
            bench.reset();
            Await.result(limiter().set(TOPIC, ONE));
            meta("hold", HELD);
            bench.stoppedBefore(script, write);
            boolean stopped = bench.stops(() -> {
                Await.result(limiter().set(TOPIC, THREE));
                Await.result(limiter().liftHold(TOPIC));
            });
            bench.undisturbed();
            Await.result(limiter().set(TOPIC, THREE));
            Await.result(limiter().liftHold(TOPIC));
            assertThat(registeredLimits()).isEqualTo(" s3 100/60000/- 1000000");
            assertThat(applied()).isEqualTo("3 631579 6 1000000");
            assertThat(bench.meta("meta")).doesNotContainKey("hold");
            if (!stopped) {
                assertThat(write).isPositive();
                return;
            }
        }
    }

    @Test
    void ofTwoChangesAtTheSameTimeTheShardGetsTheRegisteredOne() {
        AtomicBoolean first = new AtomicBoolean(true);
        TopicLimits two = new TopicLimits(2, null, null);
        QueueProcess slow = bench.another(runner -> call -> {
            if (call.script().name().equals("limits") && first.getAndSet(false)) {
                Await.result(limiter().set(TOPIC, two));
            }
            return runner.run(call);
        });
        Await.result(slow.limiter().set(TOPIC, ONE));
        assertThat(registeredLimits()).isEqualTo(" s2 0 0");
        assertThat(applied()).isEqualTo("2 0 0 0");
    }

    @Test
    void aChangeWhileTheShardIsOpenedIsNotMissed() {
        bench.redis().call("FLUSHALL");
        bench.clock(T0);
        AtomicBoolean first = new AtomicBoolean(true);
        QueueProcess opening = bench.another(runner -> call -> {
            if (call.script().name().equals("open") && first.getAndSet(false)) {
                Await.result(limiter().set(TOPIC, ONE));
            }
            return runner.run(call);
        });
        send(opening, "a");
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    private static ShardCounts count() {
        return Await.result(bench.store().count(bench.shard()));
    }

    @Test
    void countsOfAShardWithoutLimitsHaveNone() {
        assertThat(count().limits()).isNull();
        assertThat(Await.result(bench.store().count(Shard.single(TOPIC).notifications()))
                        .limits())
                .isNull();
    }

    @Test
    void countsTellWhenTheRateReopens() {
        meta("limits", "3 1000000 6 100");
        assertThat(count().limits())
                .isEqualTo(new LimitState(3, 1_000_000, 100, Instant.ofEpochMilli(T0), null, false, null));
        meta("arrival", Long.toString(T0 * 1000 + 5_000_000));
        assertThat(count().limits()).extracting(LimitState::reopensAt).isNull();
        meta("arrival", Long.toString(T0 * 1000 + 5_000_001));
        assertThat(count().limits())
                .extracting(LimitState::reopensAt)
                .isEqualTo(Instant.ofEpochMilli(T0).plusNanos(1000));
    }

    @Test
    void aRateThatWasRaisedReopensAsClaimsSeeIt() {
        meta("arrival", Long.toString(T0 * 1000 + 3_600_000_000L));
        meta("limits", "0 1000000 3 0");
        assertThat(count().limits())
                .extracting(LimitState::reopensAt)
                .isEqualTo(Instant.ofEpochMilli(T0).plusSeconds(1));
    }

    @Test
    void timesFollowTheSteadyClock() {
        meta("limits", "0 1000000 1 0");
        meta("polled", T0 + " 60000 0");
        meta("arrival", Long.toString((T0 - 60_000) * 1000 + 1_000_000));
        meta("hold", (T0 - 60_000 + 5000) + " 3 a b");
        LimitState state = count().limits();
        assertThat(state).isNotNull();
        assertThat(state.reopensAt()).isEqualTo(Instant.ofEpochMilli(T0 + 1000));
        assertThat(state.hold()).isEqualTo(new Hold(Instant.ofEpochMilli(T0 + 5000), 3, "a b"));
    }

    @Test
    void aHoldThatIsOverIsNone() {
        meta("limits", "0 0 0 0");
        meta("hold", HELD);
        assertThat(count().limits()).extracting(LimitState::hold).isNotNull();
        bench.clock(T0 + Duration.ofSeconds(5).toMillis());
        assertThat(count().limits()).extracting(LimitState::hold).isNull();
    }
}
