package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OpenDeliveriesTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Reclaiming RECLAIMING =
            new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofSeconds(6), Duration.ZERO);

    /** The start of the monotonic clock, which overflows during the test. */
    private final long start = Long.MAX_VALUE - Duration.ofSeconds(15).toNanos();

    private long now = start;
    private boolean claiming = true;
    private final List<Duration> woken = new ArrayList<>();
    private final ShardSession session = Claims.session(() -> now);
    private final OpenDeliveries deliveries =
            Claims.deliveries(() -> now, session, Claims.task(woken::add), () -> claiming);

    private long at(Duration time) {
        return start + time.toNanos();
    }

    private long at(long seconds) {
        return at(Duration.ofSeconds(seconds));
    }

    private Duration untilPoll() {
        return Duration.ofNanos(deliveries.nanosUntilPoll(Long.MAX_VALUE));
    }

    private ClaimedDelivery added(String id) {
        return added(id, start);
    }

    private ClaimedDelivery added(String id, long repliedAt) {
        ClaimedDelivery delivery = Claims.delivery(deliveries, id, start, repliedAt);
        deliveries.add(List.of(delivery));
        return delivery;
    }

    private ClaimedDelivery started(String id) {
        ClaimedDelivery delivery = added(id);
        assertThat(deliveries.next()).isSameAs(delivery);
        delivery.started(now);
        return delivery;
    }

    private Poll begin() {
        return deliveries.begin(Claiming.NOTHING, RECLAIMING, false);
    }

    private static List<String> renewed(Poll poll) {
        return poll.request().extensions().stream().map(Extend::id).toList();
    }

    /** Applies a reply, and returns the deliveries whose lease is lost. */
    private List<ClaimedDelivery> reply(Poll poll, long repliedAt, Settlement... rejected) {
        session.end();
        PollReply reply = new PollReply(
                1_000_000,
                PollReply.NEVER,
                PollReply.NEVER,
                List.of(),
                List.of(rejected),
                List.of(),
                List.of(),
                false,
                false,
                null);
        return deliveries.renewed(poll, reply, repliedAt);
    }

    @Test
    void leaseIsRenewedWhenAThirdOfItHasPassed() {
        ClaimedDelivery delivery = added("a");
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(10));
        now = at(9);
        assertThat(deliveries.needPoll()).isFalse();
        now = at(10);
        assertThat(deliveries.needPoll()).isTrue();
        Poll poll = begin();
        assertThat(poll.request().extensions()).containsExactly(new Extend("a", "token", LEASE));
        assertThat(reply(poll, at(11))).isEmpty();
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(10));
        assertThat(delivery.leaseDeadline()).isEqualTo(at(40));
    }

    @Test
    void nothingIsRenewedAfterTheHandlingTimeOrWhenSettledOrLost() {
        started("a");
        started("lost").lose();
        assertThat(started("settled").retry(Duration.ZERO)).isNotDone();
        now = at(10);
        Poll poll = begin();
        assertThat(renewed(poll)).containsExactly("a");
        reply(poll, now);
        now = at(61);
        assertThat(renewed(begin())).isEmpty();
        assertThat(deliveries.nanosUntilPoll(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deliveryThatWaitedIsConfirmedBeforeItStarts() {
        ClaimedDelivery delivery = added("a");
        now = at(1);
        assertThat(deliveries.next()).isNull();
        assertThat(woken).containsExactly(Duration.ZERO);
        assertThat(deliveries.hasStartable()).isFalse();
        assertThat(untilPoll()).isZero();
        Poll poll = begin();
        assertThat(renewed(poll)).containsExactly("a");
        assertThat(untilPoll()).isPositive();
        now = at(2);
        reply(poll, now);
        assertThat(deliveries.hasStartable()).isTrue();
        assertThat(deliveries.next()).isSameAs(delivery);
    }

    @Test
    void deliveryConfirmedByASlowReplyStillStarts() {
        ClaimedDelivery slow = added("slow", at(5));
        now = at(5);
        assertThat(deliveries.next()).isSameAs(slow);
        added("too slow", at(30));
        now = at(30);
        assertThat(deliveries.next()).isNull();
    }

    @Test
    void startedDeliveriesNeedNoConfirmation() {
        now = at(Duration.ofMillis(999));
        started("started");
        added("waiting");
        now = at(2);
        assertThat(deliveries.next()).isNull();
        assertThat(renewed(begin())).containsExactly("waiting");
    }

    @Test
    void noReplyShortensALease() {
        ClaimedDelivery delivery = started("a");
        now = at(20);
        for (Duration lease : List.of(Duration.ofHours(1), Duration.ofSeconds(1))) {
            assertThat(delivery.extendLease(lease)).isNotDone();
            Poll poll = begin();
            assertThat(poll.request().extensions()).contains(new Extend("a", "token", lease));
            reply(poll, now);
            assertThat(delivery.leaseDeadline()).isEqualTo(at(3620));
        }
    }

    @Test
    void renewalsBeyondTheLimitOfAPollAreSentByTheNext() {
        List<ClaimedDelivery> many = IntStream.range(0, PollRequest.MAX_BATCH + 20)
                .mapToObj(i -> Claims.delivery(deliveries, "m" + i, start, start))
                .toList();
        deliveries.add(many);
        now = at(10);
        Poll first = begin();
        assertThat(renewed(first)).hasSize(PollRequest.MAX_BATCH);
        assertThat(deliveries.needPoll()).isTrue();
        reply(first, now);
        Poll second = begin();
        assertThat(renewed(second)).hasSize(20);
        reply(second, now);
        now = at(11);
        assertThat(deliveries.needPoll()).isFalse();
        assertThat(many).noneMatch(delivery -> delivery.acknowledge().isDone());
        assertThat(deliveries.size()).isZero();
        assertThat(deliveries.hasSettledAll()).isFalse();
    }

    @Test
    void waitingDeliveryOfACancelledMessageIsConfirmedBeforeItStarts() {
        ClaimedDelivery cancelled = added("a");
        now = at(Duration.ofMillis(1));
        deliveries.cancelledOrReplaced("b");
        assertThat(woken).isEmpty();
        deliveries.cancelledOrReplaced("a");
        assertThat(woken).containsExactly(Duration.ZERO);
        assertThat(deliveries.next()).isNull();
        now = at(Duration.ofMillis(2));
        Poll poll = begin();
        now = at(Duration.ofMillis(3));
        reply(poll, now);
        assertThat(deliveries.next()).isSameAs(cancelled);
    }

    @Test
    void claimOfAPollSentBeforeACancellationIsConfirmed() {
        now = at(Duration.ofMillis(1));
        deliveries.cancelledOrReplaced("");
        assertThat(woken).isEmpty();
        added("claimed before");
        assertThat(untilPoll()).isZero();
        assertThat(deliveries.next()).isNull();
    }

    @Test
    void lostDeliveryNoLongerWaits() {
        ClaimedDelivery lost = added("lost");
        ClaimedDelivery held = added("held");
        now = at(10);
        Poll poll = begin();
        Extend rejected = poll.request().extensions().stream()
                .filter(extend -> extend.id().equals("lost"))
                .findFirst()
                .orElseThrow();
        assertThat(reply(poll, now, rejected)).containsExactly(lost);
        assertThat(deliveries.size()).isEqualTo(1);
        assertThat(deliveries.next()).isSameAs(held);
        claiming = false;
        assertThat(deliveries.next()).isNull();
        assertThat(deliveries.waitingBytes()).isZero();
    }
}
