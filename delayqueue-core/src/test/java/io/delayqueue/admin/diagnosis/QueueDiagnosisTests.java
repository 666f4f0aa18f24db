package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.LimitStatus.HeldBackBy;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.Counts;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.template.OutboxState;
import io.delayqueue.template.OutboxState.Unusable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules that decide what an operator should look at. */
class QueueDiagnosisTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String NOUNS = "dead letter|message|node|permit|row|time|topic";
    /** One of several, or several of one. */
    private static final Pattern MISCOUNTED = Pattern.compile(
            "(?<![\\d,])1 ((%1$s)s|\\w+ are)\\b|(?<![\\d,])(0|[2-9]|\\d+\\d) (%1$s|more is)\\b".formatted(NOUNS));

    private Instant clock = NOW;
    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> clock);

    private static TopicStatus topic(String name, long scheduled, long ready, long leased, long dead, int lagSeconds) {
        return TopicStatusBuilder.topic(name)
                .counts(Counts.of(scheduled, ready, 0, leased, dead, dead, Duration.ofSeconds(lagSeconds)))
                .build();
    }

    private static TopicStatus parked(long ready, long parked) {
        return TopicStatusBuilder.topic("a")
                .counts(new TopicCounts(0, ready, 0, parked, 0, 0, 0, 0, Duration.ofSeconds(25), null, null, null))
                .build();
    }

    private static TopicStatus late(String name, int lagSeconds) {
        return topic(name, 0, 5, 0, 0, lagSeconds);
    }

    private static TopicStatus unconsumed(String name, long scheduled, long ready) {
        return TopicStatusBuilder.topic(name)
                .counts(Counts.of(scheduled, ready, 0, 0, 0, 0, Duration.ZERO))
                .consumers(0)
                .build();
    }

    private static ListenerStatus listener(String topic, State state, int running, Attempts attempts) {
        return ListenerStatusBuilder.listener(topic + "-listener", topic)
                .state(state)
                .handlers(running, 8)
                .oldest(running == 0 ? null : new RunningHandler("m", 1, Duration.ofSeconds(30)))
                .unavailable(
                        state == State.UNAVAILABLE
                                ? new Unavailable("ConnectException: refused", Duration.ofSeconds(running + 90))
                                : null)
                .attempts(attempts)
                .build();
    }

    private static Attempts attempts(long succeeded, long failed) {
        return new Attempts(
                succeeded,
                failed,
                0,
                Duration.ofMillis(4200),
                failed == 0 ? null : "PaymentDown: connection refused",
                Duration.ofSeconds(75),
                null);
    }

    private static Nodes nodes(ListenerStatus... listeners) {
        return new Nodes(NOW, List.of(Diagnoses.node("shop-1", NOW, listeners)), List.of());
    }

    private Diagnosis diagnose(Nodes nodes, TopicStatus... topics) {
        Diagnosis found = diagnosis.diagnose(List.of(topics), nodes, List.of(), List.of());
        assertThat(Stream.concat(
                        found.findings().stream(),
                        found.topics().values().stream().flatMap(List::stream)))
                .extracting(Finding::text)
                .noneMatch(MISCOUNTED.asPredicate())
                .allMatch(text -> !Character.isLowerCase(text.charAt(0)));
        return found;
    }

    private static List<String> texts(Diagnosis found) {
        return found.findings().stream().map(Finding::text).toList();
    }

    private static List<Kind> kinds(Diagnosis found) {
        return found.all().stream().map(Finding::kind).toList();
    }

    private static Finding only(Diagnosis found) {
        assertThat(found.findings()).hasSize(1);
        return found.findings().get(0);
    }

    private void assertNothing(Nodes nodes, TopicStatus... topics) {
        assertThat(diagnose(nodes, topics).findings()).isEmpty();
    }

    @Test
    void nothingIsFoundInAQueueThatWorks() {
        Diagnosis found = diagnose(
                nodes(listener("fast", State.RUNNING, 8, attempts(95, 5))),
                topic("fast", 100, 3, 9, 0, 1),
                late("slow", 60),
                late("other", 10));
        assertThat(found.findings()).isEmpty();
        assertThat(found.topics()).isEmpty();
        assertThat(found.all()).isEmpty();
        assertThat(found.attempts()).containsOnlyKeys("fast");
    }

    @Test
    void topicWhoseAttemptsFailIsFailing() {
        Nodes two = new Nodes(
                NOW,
                List.of(
                        Diagnoses.node("one", NOW, listener("payment", State.RUNNING, 0, attempts(0, 100))),
                        Diagnoses.node("two", NOW, listener("payment", State.RUNNING, 0, attempts(0, 200)))),
                List.of());
        Diagnosis found = diagnose(two, topic("payment", 1, 0, 0, 0, 0));
        assertThat(only(found))
                .isEqualTo(new Finding(
                        Level.CRITICAL,
                        Kind.FAILING,
                        "0 of 300 attempts succeeded in the last minute. It has been failing for 75 s.",
                        "PaymentDown: connection refused",
                        List.of("payment"),
                        null,
                        1,
                        NOW));
        assertThat(found.attempts().get("payment").failed()).isEqualTo(300);
        assertThat(kinds(found)).containsExactly(Kind.FAILING);
    }

    @Test
    void fewFailuresAreNoFinding() {
        assertNothing(nodes(listener("a", State.RUNNING, 0, attempts(0, 4))));
        assertNothing(nodes(listener("a", State.RUNNING, 0, attempts(6, 5))));
        assertThat(only(diagnose(nodes(listener("a", State.RUNNING, 0, attempts(0, 5))))))
                .isNotNull();
    }

    @Test
    void findingsNearTheLimitDoNotFlicker() {
        assertNothing(nodes(), late("a", 10));
        assertThat(only(diagnose(nodes(), late("a", 11)))).isNotNull();
        clock = NOW.plusSeconds(30);
        assertThat(only(diagnose(nodes(), late("a", 6))).since()).isEqualTo(NOW);
        assertNothing(nodes(), late("a", 5));
        assertNothing(nodes(), late("a", 6));
        assertThat(only(diagnose(nodes(listener("a", State.RUNNING, 0, attempts(50, 50))))))
                .isNotNull();
        assertThat(only(diagnose(nodes(listener("a", State.RUNNING, 0, attempts(70, 30))))))
                .isNotNull();
        assertNothing(nodes(listener("a", State.RUNNING, 0, attempts(80, 20))));
    }

    @Test
    void topicsHaveLimitsOfTheirOwn() {
        assertNothing(nodes(), late("slow", 60));
        assertThat(only(diagnose(nodes(), late("slow", 61)))).isNotNull();
    }

    @Test
    void busyHandlersAreTheCauseOfALateTopic() {
        assertThat(texts(diagnose(nodes(listener("a", State.RUNNING, 8, attempts(10, 0))), late("a", 25))))
                .containsExactly(
                        "Its oldest due message has been waiting for 25 s, 5 messages are ready. All 8 permits are"
                                + " used; an attempt takes 4 s on average; the oldest handler has been running for 30 s on"
                                + " shop-1. The handlers are slow, or too few.");
    }

    private String textWith(int ready, int lagSeconds, int atSecond) {
        clock = NOW.plusSeconds(atSecond);
        return only(diagnose(nodes(), topic("a", 0, ready, 8, 0, lagSeconds))).text();
    }

    @Test
    void growthOfABacklogIsShown() {
        textWith(100, 20, 0);
        assertThat(textWith(120, 30, 19)).endsWith("Permits are free.");
        assertThat(textWith(140, 40, 20))
                .endsWith("More messages become due than are handled: ready messages grow by 120 per minute.");
    }

    @Test
    void endOfAShrinkingBacklogIsShown() {
        textWith(1000, 20, 0);
        textWith(140, 20, 60);
        textWith(120, 20, 120);
        assertThat(textWith(60, 20, 140))
                .endsWith("It is catching up: at this rate no message is ready in about 60 s.");
    }

    @Test
    void idleNodesAreNamed() {
        assertThat(texts(diagnose(nodes(), late("a", 20))))
                .singleElement()
                .asString()
                .endsWith("No message is being handled although 1 node listens. Check the health of the nodes.");
    }

    @Test
    void messagesThatWaitForOthersOfTheirKeysAreNamed() {
        assertThat(only(diagnose(nodes(), parked(5, 5))).text())
                .endsWith("Permits are free, but 5 messages wait for another message of their key.");
        assertThat(only(diagnose(nodes(listener("a", State.RUNNING, 1, attempts(300, 0))), parked(5, 1)))
                        .text())
                .endsWith("Permits are free, but 1 message waits for another message of its key.");
        assertThat(only(diagnose(nodes(), parked(5, 4))).text()).endsWith("Check the health of the nodes.");
    }

    /** No handler may run at the moment of a sample although messages are handled all the time. */
    @Test
    void nodesThatHandledMessagesAMomentAgoAreNotIdle() {
        assertThat(texts(diagnose(nodes(listener("a", State.RUNNING, 0, attempts(300, 0))), late("a", 20))))
                .singleElement()
                .asString()
                .endsWith("Permits are free.");
    }

    @Test
    void aBacklogOfClaimedMessagesIsFound() {
        Nodes busy = nodes(listener("a", State.RUNNING, 8, Attempts.NONE));
        assertNothing(busy, topic("a", 0, 0, 32, 0, 0));
        assertThat(only(diagnose(busy, topic("a", 0, 0, 33, 0, 0))).kind()).isEqualTo(Kind.BUSY);
    }

    @Test
    void unavailableSystemsAreFound() {
        Diagnosis all = diagnose(nodes(listener("a", State.UNAVAILABLE, 0, Attempts.NONE)), late("a", 20));
        assertThat(all.findings()).extracting(Finding::kind).containsExactly(Kind.UNAVAILABLE, Kind.LATE);
        Finding finding = all.findings().get(0);
        assertThat(finding.level()).isEqualTo(Level.CRITICAL);
        assertThat(finding.failure()).isEqualTo("ConnectException: refused");
        assertThat(texts(all))
                .containsExactly(
                        "A system that listener a-listener needs has been unavailable for 90 s on shop-1. Its messages stay"
                                + " in Redis, and no attempt counts.",
                        "Its oldest due message has been waiting for 20 s, 5 messages are ready. A system that its handlers"
                                + " need is unavailable.");

        Diagnosis some = diagnose(
                nodes(
                        listener("b", State.RUNNING, 0, Attempts.NONE),
                        listener("b", State.UNAVAILABLE, 0, Attempts.NONE)),
                topic("b", 1, 0, 0, 0, 0));
        assertThat(only(some).level()).isEqualTo(Level.WARNING);
    }

    @Test
    void pausesAreFound() {
        assertThat(texts(diagnose(nodes(listener("a", State.PAUSED, 0, Attempts.NONE)), topic("a", 1, 0, 0, 0, 0))))
                .containsExactly("Listener a-listener is paused on shop-1.");
        Diagnosis late = diagnose(nodes(listener("a", State.STOPPED, 0, Attempts.NONE)), late("a", 20));
        assertThat(texts(late)).first().asString().endsWith("All of its listeners are paused or stopped.");
        TopicStatus paused = paused(true, new Pause("p", null, null, "alice", NOW.minus(Duration.ofHours(3))));
        assertThat(texts(diagnose(nodes(), paused, topic("a", 0, 0, 0, 0, 0))))
                .containsExactly(
                        "Its oldest due message has been waiting for 3 h, 1 message is ready. The topic is paused on all"
                                + " nodes.",
                        "It is paused on all nodes, for 3 h by alice.");
    }

    private static TopicStatus paused(boolean everywhere, Pause... pauses) {
        return TopicStatusBuilder.topic("p")
                .counts(Counts.of(0, 1, 0, 0, 0, 0, Duration.ofHours(3)))
                .consumers(0)
                .paused(everywhere, pauses)
                .build();
    }

    @Test
    void pausesOfAListenerAreFoundWithAuthorAndAge() {
        Pause forgotten = new Pause("p", "l", null, "alice", NOW.minus(Duration.ofDays(3)));
        Pause ofNode = new Pause("p", null, "id-of-shop-1", "", NOW);
        Pause ofFormer = new Pause("p", null, "gone", "bob", NOW);
        Nodes nodes = nodes(listener("p", State.PAUSED, 0, Attempts.NONE));
        assertThat(texts(diagnose(nodes, paused(false, ofFormer, forgotten))))
                .contains("Listener l is paused on all nodes, for 3 days by alice, and 1 more is not running. Was it"
                        + " forgotten?");
        assertThat(texts(diagnose(nodes, paused(false, ofNode))))
                .contains("All of its listeners are paused on shop-1, for less than 1 s.");
        assertThat(texts(diagnose(nodes(), paused(false, ofNode, forgotten))))
                .contains("Listener l is paused on all nodes, for 3 days by alice, and 1 more is not running. Was it"
                        + " forgotten?");
        assertThat(texts(diagnose(nodes(), paused(false, ofFormer))))
                .noneMatch(text -> text.contains("paused on gone"));
    }

    @Test
    void listenerIsAFindingAfterItHasBeenStoppedForThirtySeconds() {
        TopicStatus topic = topic("a", 1, 0, 0, 0, 0);
        ListenerStatus stopped = listener("a", State.STOPPED, 0, Attempts.NONE);
        for (String host : List.of("shop-1", "shop-2", "shop-3")) {
            Nodes stopping = new Nodes(NOW, List.of(Diagnoses.node(host, NOW, stopped)), List.of());
            assertThat(texts(diagnose(stopping, topic))).isEmpty();
            clock = clock.plusSeconds(29);
            assertThat(texts(diagnose(stopping, topic))).isEmpty();
        }
        clock = clock.plusSeconds(1);
        assertThat(texts(diagnose(new Nodes(NOW, List.of(Diagnoses.node("shop-3", NOW, stopped)), List.of()), topic)))
                .containsExactly("Listener a-listener is stopped on shop-3.");
    }

    @Test
    void suspectsAreFound() {
        TopicStatus topic = TopicStatusBuilder.topic("a")
                .counts(Counts.of(0, 3, 2, 0, 0, 0, Duration.ZERO))
                .build();
        assertThat(texts(diagnose(new Nodes(NOW, List.of(), List.of()), topic)))
                .containsExactly("2 messages are waiting to be handled in isolation, because leases ended"
                        + " repeatedly without a settlement.");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void countsAgreeWithTheirNouns(int count) {
        ListenerStatus busy = ListenerStatusBuilder.listener("l", "busy")
                .handlers(count, count)
                .attempts(attempts(count, 0))
                .build();
        NodeStatus[] live = IntStream.rangeClosed(0, count)
                .mapToObj(each ->
                        Diagnoses.node("shop-" + each, NOW, busy, listener("idle", State.PAUSED, 0, Attempts.NONE)))
                .toArray(NodeStatus[]::new);
        List<FormerNode> failed = IntStream.range(0, count)
                .mapToObj(each -> new FormerNode("id-" + each, "lost-" + each, 7, NOW, NOW, true, List.of()))
                .toList();
        TopicLimits one = new TopicLimits(Math.max(1, count), null, null);
        LimitStatus limits = new LimitStatus(one, null, one, 1, false, HeldBackBy.CONCURRENCY, NOW, NOW, NOW, null);
        TopicCounts counts = Counts.of(0, count, count, count, count, count, Duration.ofSeconds(20));

        Diagnosis found = diagnose(
                new Nodes(NOW, List.of(live), failed),
                unconsumed("unconsumed", 0, count),
                unconsumed("unconsumed too", count, 0),
                topic("busy", 0, count, 100, 0, 20),
                topic("idle", 0, count, 0, count, 20),
                TopicStatusBuilder.topic("limited")
                        .counts(counts)
                        .limits(limits)
                        .build(),
                TopicStatusBuilder.topic("dead").counts(counts).consumers(count).build());

        assertThat(Collections.frequency(kinds(found), Kind.NODE_FAILED)).isEqualTo(count);
    }

    @Test
    void aStateOfLessThanASecondIsNotMeasuredInMilliseconds() {
        Unavailable unavailable = new Unavailable("Down", Duration.ofMillis(6));
        ListenerStatus listener = ListenerStatusBuilder.listener("l", "t")
                .state(State.UNAVAILABLE)
                .unavailable(unavailable)
                .build();
        assertThat(only(diagnose(nodes(listener), topic("t", 0, 0, 0, 0, 0))).text())
                .startsWith("A system that listener l needs has been unavailable for less than 1 s on shop-1.");
    }

    private static TopicStatus limited(LimitStatus limits, int lagSeconds) {
        return TopicStatusBuilder.topic("sms")
                .counts(Counts.of(0, 5, 0, 0, 0, 0, Duration.ofSeconds(lagSeconds)))
                .limits(limits)
                .build();
    }

    private static LimitStatus limits(@Nullable HeldBackBy by, LimitStatus.@Nullable Hold hold) {
        TopicLimits limits = new TopicLimits(3, 2, Rate.parse("100/1m"), null);
        return new LimitStatus(limits, null, limits, 3, false, by, NOW, NOW, NOW, hold);
    }

    @Test
    void rateHoldsBackAlsoAtAMomentAtWhichItPermitsAStart() {
        assertThat(texts(diagnose(
                        nodes(listener("sms", State.RUNNING, 0, attempts(80, 0))), limited(limits(null, null), 11))))
                .singleElement()
                .asString()
                .endsWith("Its rate of 100/1m holds it back.");
        assertThat(texts(diagnose(
                        nodes(listener("sms", State.RUNNING, 0, attempts(79, 0))), limited(limits(null, null), 11))))
                .singleElement()
                .asString()
                .endsWith("Permits are free.");
    }

    @Test
    void lateTopicNamesTheLimitThatHoldsItBack() {
        assertThat(texts(diagnose(nodes(), limited(limits(HeldBackBy.RATE, null), 11))))
                .containsExactly("Its oldest due message has been waiting for 11 s, 5 messages are ready."
                        + " Its rate of 100/1m holds it back.");
        assertThat(texts(diagnose(nodes(), limited(limits(HeldBackBy.CONCURRENCY, null), 11))))
                .containsExactly("Its oldest due message has been waiting for 11 s, 5 messages are ready."
                        + " Its limit of 3 messages at a time holds it back.");
        assertThat(texts(diagnose(nodes(), limited(limits(HeldBackBy.CONCURRENCY_PER_KEY, null), 11))))
                .containsExactly("Its oldest due message has been waiting for 11 s, 5 messages are ready."
                        + " Its per-key limit of 2 messages at a time holds it back.");
        assertThat(texts(diagnose(
                        nodes(),
                        limited(limits(HeldBackBy.HOLD, new LimitStatus.Hold(NOW.plusSeconds(30), "a", 2)), 11))))
                .containsExactly("Its oldest due message has been waiting for 11 s, 5 messages are ready."
                        + " Message a holds it for another 30 s.");
    }

    @Test
    void messageThatHoldsItsTopicThreeTimesInARowIsFound() {
        assertNothing(nodes(), limited(limits(null, new LimitStatus.Hold(NOW.plusSeconds(30), "a", 2)), 1));
        Finding held = only(diagnose(
                nodes(), limited(limits(null, new LimitStatus.Hold(NOW.plusSeconds(30), "order-1", 3)), 1)));
        assertThat(held.kind()).isEqualTo(Kind.HELD);
        assertThat(held.level()).isEqualTo(Level.WARNING);
        assertThat(held.text())
                .isEqualTo("Message order-1 has held it 3 times in a row. No other message is handled meanwhile.");
    }

    @Test
    void limitsThatAnotherNodeDeclaresAreFound() {
        QueueDiagnosis declaring =
                Diagnoses.diagnosis(() -> clock, false, () -> null, Map.of("sms", new TopicLimits(5, null, null)));

        Finding found =
                only(declaring.diagnose(List.of(limited(limits(null, null), 1)), nodes(), List.of(), List.of()));

        assertThat(found.kind()).isEqualTo(Kind.LIMITS);
        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.text())
                .isEqualTo(
                        "Another node declares other limits: at most 3 at a time, at most 2 at a time per key, 100/1m; the properties of this node:"
                                + " at most 5 at a time.");
        assertNothing(nodes(), limited(limits(null, null), 1));
    }

    @Test
    void topicWhoseLastNodeFailedIsCriticalAtOnce() {
        FormerNode failed = new FormerNode("id", "shop-7f9c", 1, NOW, NOW.minusSeconds(15), true, List.of("a"));
        assertThat(diagnose(new Nodes(NOW, List.of(), List.of(failed)), unconsumed("a", 0, 1))
                        .topics()
                        .get("a"))
                .extracting(Finding::level)
                .containsExactly(Level.CRITICAL);
    }

    @Test
    void topicWithoutListenerNamesTheLastOne() {
        FormerNode former = new FormerNode("id", "shop-7f9c", 1, NOW, NOW.minusSeconds(40), false, List.of("a"));
        Nodes nodes = new Nodes(NOW, List.of(), List.of(former));
        TopicStatus[] topics = {unconsumed("a", 0, 1), unconsumed("b", 2, 0), topic("c", 0, 0, 0, 0, 0)};
        assertThat(diagnose(nodes, topics).topics().get("a"))
                .as("a restart must not alarm")
                .extracting(Finding::level)
                .containsExactly(Level.WARNING);
        clock = NOW.plusSeconds(5);
        Diagnosis found = diagnose(nodes, topics);
        assertThat(found.topics().get("a"))
                .extracting(Finding::text, Finding::level)
                .containsExactly(tuple(
                        "No node listens to it, but 1 message is waiting. The last one, shop-7f9c, was stopped 40 s ago.",
                        Level.CRITICAL));
        assertThat(found.topics().get("b"))
                .extracting(Finding::text, Finding::level)
                .containsExactly(tuple(
                        "No node listens to it, but 2 messages are waiting. Is the name misspelled?", Level.WARNING));
        assertThat(kinds(found)).containsExactly(Kind.NO_LISTENER, Kind.NO_LISTENER);
    }

    @Test
    void silentAndFailedNodesAreFound() {
        Nodes nodes = new Nodes(
                NOW,
                List.of(Diagnoses.node("well", NOW.minusSeconds(11)), Diagnoses.node("silent", NOW.minusSeconds(12))),
                List.of(
                        new FormerNode("id2", "killed", 7, NOW, NOW.minusSeconds(600), true, List.of()),
                        new FormerNode("id3", "long ago", 7, NOW, NOW.minusSeconds(601), true, List.of()),
                        new FormerNode("id4", "stopped", 7, NOW, NOW.minusSeconds(60), false, List.of())));
        Diagnosis found = diagnose(nodes);
        assertThat(kinds(found)).containsExactly(Kind.NODE_FAILED, Kind.NODE_FAILED);
        assertThat(texts(found))
                .containsExactly(
                        "2 nodes failed or are silent. Node silent (process 42) has sent no heartbeat for 12 s.");
        assertThat(texts(diagnose(new Nodes(NOW, List.of(), nodes.former()))))
                .containsExactly("Node killed (process 7) failed 10 min ago.");
    }

    @Test
    void findingsOfOneKindAreGroupedWithTheMostUrgentFirst() {
        Diagnosis found = diagnose(
                nodes(listener("f", State.RUNNING, 0, attempts(0, 9)), listener("p", State.PAUSED, 0, Attempts.NONE)),
                topic("d1", 0, 0, 0, 1, 0),
                topic("d2", 0, 0, 0, 1200, 0),
                late("l1", 11),
                late("l2", 20),
                topic("p", 0, 0, 0, 0, 0),
                unconsumed("u", 3, 0));
        assertThat(found.findings())
                .extracting(Finding::kind)
                .containsExactly(Kind.FAILING, Kind.LATE, Kind.NO_LISTENER, Kind.DEAD_LETTERS, Kind.PAUSED);
        assertThat(found.findings().get(1).topics()).containsExactly("l1", "l2");
        assertThat(texts(found).get(3)).isEqualTo("2 topics: dead letters. d1: It has 1 dead letter.");
        assertThat(found.topics().get("d2")).extracting(Finding::text).containsExactly("It has 1,200 dead letters.");
    }

    @Test
    void atMostFiveFindingsAreShown() {
        TopicStatus unknown =
                TopicStatusBuilder.topic("x").problem("Redis did not reply.").build();
        Nodes all = new Nodes(
                NOW,
                List.of(Diagnoses.node("n", NOW.minusSeconds(60), listener("f", State.RUNNING, 0, attempts(0, 9)))),
                List.of());
        TopicStatus[] topics = Stream.of(
                        unknown,
                        late("l", 11),
                        unconsumed("u", 3, 1),
                        topic("d", 0, 0, 0, 1, 0),
                        topic("f", 0, 0, 0, 0, 0))
                .toArray(TopicStatus[]::new);
        Diagnosis found = diagnose(all, topics);
        assertThat(found.findings()).hasSize(5);
        assertThat(texts(found).get(0)).isEqualTo("Its state is unknown. Redis did not reply.");
        assertThat(texts(found).get(4)).contains("Also: dead letters (1).");
        assertThat(kinds(found)).doesNotHaveDuplicates().hasSize(6);
    }

    private final AtomicReference<OutboxState> outbox = new AtomicReference<>();
    private final QueueDiagnosis withOutbox = Diagnoses.diagnosis(() -> clock, false, outbox::get, Map.of());

    private List<Finding> diagnoseOutbox(OutboxState state) {
        outbox.set(state);
        return withOutbox.diagnose(List.of(), nodes(), List.of(), List.of()).findings();
    }

    @Test
    void anOutboxThatDoesNotDrainIsCritical() {
        assertThat(withOutbox.diagnose(List.of(), nodes(), List.of(), List.of()).findings())
                .isEmpty();
        assertThat(diagnoseOutbox(new OutboxState.Content(7, Duration.ofSeconds(60), 0)))
                .isEmpty();
        outbox.set(new OutboxState.Content(7, Duration.ofSeconds(61), 0));
        Finding late = only(withOutbox.diagnose(List.of(), nodes(), List.of(), List.of()));
        assertThat(late.level()).isEqualTo(Level.CRITICAL);
        assertThat(late.kind()).isEqualTo(Kind.OUTBOX);
        assertThat(late.text())
                .isEqualTo("The outbox does not drain: 7 rows are waiting for Redis, the oldest for 61 s.");
        assertThat(diagnoseOutbox(new OutboxState.Content(7, Duration.ofSeconds(31), 0)))
                .hasSize(1);
        assertThat(diagnoseOutbox(new OutboxState.Content(7, Duration.ofSeconds(29), 0)))
                .isEmpty();
    }

    @Test
    void anUnusableTableOfTheOutboxIsCriticalAfterTenSeconds() {
        assertThat(diagnoseOutbox(new Unusable("shop.outbox", Duration.ofMillis(9_999), "It is locked.", null)))
                .isEmpty();
        outbox.set(new Unusable("shop.outbox", Duration.ofSeconds(10), "It is locked.", "QueryTimeoutException: 5 s"));
        assertThat(only(withOutbox.diagnose(List.of(), nodes(), List.of(), List.of())))
                .isEqualTo(new Finding(
                        Level.CRITICAL,
                        Kind.OUTBOX,
                        "This node has not been able to use the table of the outbox, shop.outbox, for 10 s. It is locked."
                                + " Transactions that send or cancel wait for the table or fail.",
                        "QueryTimeoutException: 5 s",
                        List.of(),
                        null,
                        1,
                        NOW));
        assertThat(diagnoseOutbox(new OutboxState.Content(0, Duration.ZERO, 0))).isEmpty();
    }

    @Test
    void rowsThatAnOutboxHasSetAsideAreAWarning() {
        outbox.set(new OutboxState.Content(0, Duration.ZERO, 1));
        Finding found = only(withOutbox.diagnose(List.of(), nodes(), List.of(), List.of()));

        assertThat(found.level()).isEqualTo(Level.WARNING);
        assertThat(found.text()).isEqualTo("In the outbox, 1 row is set aside, because Redis rejected it for good.");
    }
}
