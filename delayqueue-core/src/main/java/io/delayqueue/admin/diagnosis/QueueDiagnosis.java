package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.template.OutboxState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an operator should look at. These are the only rules: the endpoint, the dashboard, the health indicator
 * and the meters show their result. Thread-safe.
 *
 * <p>A topic is late if its lag exceeds the limit, and failing if the failure rate of a minute reaches the limit. A
 * finding ends when the value falls below half of the limit, so that a value near the limit does not flicker.
 */
@Internal
public final class QueueDiagnosis {

    /** The number of failures within a minute below which a topic is not failing. */
    private static final int FEWEST_FAILURES = 5;
    /** Listeners claim ahead. A topic is busy if its leased messages exceed this multiple of its permits. */
    private static final int BACKLOG = 4;
    /** The time for which a failed node is a finding. */
    private static final Duration NODE_FAILED = Duration.ofMinutes(10);

    /** Time without a listener after which the finding is critical; at once if the last node failed. A restart takes less. */
    private static final Duration NO_LISTENER = Duration.ofSeconds(5);
    /** How long a listener is stopped before it is a finding. A node that stops drains its listeners for up to 20 s. */
    private static final Duration STOPPED = Duration.ofSeconds(30);

    /** How often in a row a message holds its topic before it is a finding. */
    private static final int HOLDS = 3;

    private static final int MAX_FINDINGS = 5;

    private static final Comparator<Finding> MOST_URGENT =
            Comparator.comparing(Finding::level).thenComparing(Finding::kind);

    private final Limits limits;
    private final Duration silence;
    private final InstantSource clock;
    private final Supplier<@Nullable OutboxState> outbox;
    private final Duration maxOutboxAge;
    private final Map<String, TopicLimits> declared;
    private Memory last = new Memory();

    private record Key(Kind kind, String name) {}

    /** What one diagnosis leaves for the next. */
    private static final class Memory {

        /** When each finding was found first. */
        private final Map<Key, Instant> since = new HashMap<>();
        /** The backlogs of late topics. */
        private final Map<String, Backlog> backlogs = new HashMap<>();
    }

    /** The number of ready messages one to two minutes ago, and up to a minute ago. */
    private record Backlog(Instant first, long ready, Instant second, long readyThen) {

        private static final Duration WINDOW = Duration.ofMinutes(1);
        private static final Duration SHORTEST = Duration.ofSeconds(20);

        Backlog next(Instant now, long readyNow) {
            return Duration.between(second, now).compareTo(WINDOW) >= 0
                    ? new Backlog(second, readyThen, now, readyNow)
                    : this;
        }

        /** Zero if the time is too short to tell. */
        double perMinute(Instant now, long readyNow) {
            Duration time = Duration.between(first, now);
            return time.compareTo(SHORTEST) < 0 ? 0 : (readyNow - ready) * 60_000d / time.toMillis();
        }
    }

    /**
     * The thresholds.
     *
     * @param maxLag the maximum lag of topics that have no maximum of their own
     * @param maxLagOf the maximum lag of topics, by name
     * @param maxFailureRate the failure rate from which on a topic is failing, more than 0 and at most 1
     */
    public record Limits(Duration maxLag, Map<String, Duration> maxLagOf, double maxFailureRate) {

        /** Twice the default sweep interval, within which a due message is found without a signal. */
        public static final Duration DEFAULT_MAX_LAG = Duration.ofSeconds(10);

        /** Checks the failure rate. */
        public Limits {
            InvalidOptionException.require(
                    maxFailureRate > 0 && maxFailureRate <= 1,
                    "maxFailureRate",
                    "must be more than 0 and at most 1, but was " + maxFailureRate);
            maxLagOf = Map.copyOf(maxLagOf);
        }

        Duration of(String topic) {
            return maxLagOf.getOrDefault(topic, maxLag);
        }
    }

    /**
     * Creates a diagnosis.
     *
     * @param heartbeat interval between heartbeats; a node that misses two of them is reported before it counts as
     *     failed
     * @param clock dates findings
     */
    public QueueDiagnosis(Limits limits, Duration heartbeat, InstantSource clock) {
        this(limits, heartbeat, clock, () -> null, Duration.ZERO, Map.of());
    }

    /**
     * Creates a diagnosis of a queue with an outbox and with limits.
     *
     * @param outbox supplies the content of the outbox, or null if there is none or it is not known
     * @param maxOutboxAge age of the oldest row of the outbox that is a finding
     * @param declared the limits in the properties of this node, by topic
     */
    public QueueDiagnosis(
            Limits limits,
            Duration heartbeat,
            InstantSource clock,
            Supplier<@Nullable OutboxState> outbox,
            Duration maxOutboxAge,
            Map<String, TopicLimits> declared) {
        this.declared = Map.copyOf(declared);
        this.outbox = outbox;
        this.maxOutboxAge = maxOutboxAge;
        this.limits = limits;
        this.silence = heartbeat.multipliedBy(2).plusSeconds(1);
        this.clock = clock;
    }

    /** Returns what an operator should look at. */
    public synchronized Diagnosis diagnose(List<TopicStatus> topics, Nodes nodes) {
        Run run = new Run(nodes);
        topics.forEach(run::check);
        run.attempts.forEach(run::checkAttempts);
        run.checkNodes();
        run.checkOutbox();
        last = run.found;
        return run.result(topics);
    }

    /** One diagnosis. */
    private final class Run {

        private final Instant now = clock.instant();
        private final Nodes nodes;
        private final Map<String, List<Place>> listeners = new HashMap<>();
        private final Map<String, Attempts> attempts;
        private final Memory found = new Memory();
        private final Map<String, List<Finding>> ofTopics = new TreeMap<>();
        private final List<Finding> ofNodes = new ArrayList<>();

        /** A listener on a node. */
        private record Place(NodeStatus node, ListenerStatus listener) {}

        Run(Nodes nodes) {
            this.nodes = nodes;
            this.attempts = nodes.attempts();
            for (NodeStatus node : nodes.live()) {
                for (ListenerStatus listener : node.listeners()) {
                    if (listener.kind() == QueueKind.MESSAGES) {
                        listeners
                                .computeIfAbsent(listener.topic(), topic -> new ArrayList<>())
                                .add(new Place(node, listener));
                    }
                }
            }
        }

        private void add(Level level, Kind kind, String topic, String text) {
            add(level, kind, topic, text, null);
        }

        private void add(Level level, Kind kind, String topic, String text, @Nullable String failure) {
            Finding finding = new Finding(level, kind, text, failure, List.of(topic), 1, since(kind, topic));
            ofTopics.computeIfAbsent(topic, name -> new ArrayList<>()).add(finding);
        }

        private Instant since(Kind kind, String name) {
            Key key = new Key(kind, name);
            return found.since.computeIfAbsent(key, absent -> last.since.getOrDefault(key, now));
        }

        private Level noListenerLevel(String topic) {
            Duration time = Duration.between(since(Kind.NO_LISTENER, topic), now);
            boolean failed = lastConsumer(topic).map(FormerNode::failed).orElse(false);
            return failed || time.compareTo(NO_LISTENER) >= 0 ? Level.CRITICAL : Level.WARNING;
        }

        private boolean wasActive(Kind kind, String name) {
            return last.since.containsKey(new Key(kind, name));
        }

        void check(TopicStatus topic) {
            String name = topic.topic();
            TopicCounts counts = topic.counts();
            if (counts == null) {
                add(Level.CRITICAL, Kind.UNKNOWN, name, "Its state is unknown. " + topic.problem());
                return;
            }
            long waiting = counts.ready() + counts.scheduled();
            boolean unconsumed = topic.consumers().isEmpty() && waiting > 0 && !topic.paused();
            Level level = unconsumed && counts.ready() > 0 ? noListenerLevel(name) : Level.WARNING;
            if (unconsumed) {
                add(
                        level,
                        Kind.NO_LISTENER,
                        name,
                        "No node listens to it, but " + messages(waiting, "waiting") + ". " + lastListener(name));
            }
            // the missing listener explains the lag
            if (level == Level.CRITICAL) {
                trend(name, counts.ready());
            } else if (isLate(name, counts.lag())) {
                add(
                        Level.CRITICAL,
                        Kind.LATE,
                        name,
                        "Its oldest due message has been waiting for " + span(counts.lag()) + ", "
                                + messages(counts.ready(), "ready") + ". " + cause(topic)
                                + trend(name, counts.ready()));
            } else if (isBusy(name, counts)) {
                add(
                        Level.WARNING,
                        Kind.BUSY,
                        name,
                        messages(counts.leased(), "leased") + ", most of them waiting for a handler. " + busy(name));
            }
            if (counts.suspects() > 0) {
                add(
                        Level.WARNING,
                        Kind.SUSPECTS,
                        name,
                        messages(counts.suspects(), "waiting to be handled in isolation")
                                + ", because leases ended repeatedly without a settlement.");
            }
            checkUnavailable(name);
            checkLimits(topic);
            checkDeadLetters(topic, counts);
            checkPauses(topic);
        }

        private void checkLimits(TopicStatus topic) {
            LimitStatus limits = topic.limits();
            if (limits == null) {
                return;
            }
            LimitStatus.Hold hold = limits.hold();
            if (hold != null && hold.times() >= HOLDS) {
                add(
                        Level.WARNING,
                        Kind.HELD,
                        topic.topic(),
                        "Message " + Printable.of(hold.by()) + " has held it " + count(hold.times())
                                + " times in a row. No other message is handled meanwhile.");
            }
            TopicLimits here = declared.get(topic.topic());
            TopicLimits inEffect = limits.declared();
            if (here != null && inEffect != null && !here.equals(inEffect)) {
                add(
                        Level.WARNING,
                        Kind.LIMITS,
                        topic.topic(),
                        "Another node declares other limits: " + inEffect + "; the properties of this node: " + here
                                + ".");
            }
        }

        private void checkUnavailable(String topic) {
            List<Place> places = listeners.getOrDefault(topic, List.of());
            List<Place> waiting = places.stream()
                    .filter(place -> place.listener().unavailable() != null)
                    .toList();
            waiting.stream()
                    .max(Comparator.comparing(place -> unavailable(place).time()))
                    .ifPresent(first -> add(
                            waiting.size() == places.size() ? Level.CRITICAL : Level.WARNING,
                            Kind.UNAVAILABLE,
                            topic,
                            "A system that listener "
                                    + Printable.of(first.listener().id()) + " needs has been unavailable for "
                                    + span(unavailable(first).time()) + " on "
                                    + host(first.node().host(), first.node().node())
                                    + (waiting.size() == 1 ? "" : ", and for " + (waiting.size() - 1) + " more")
                                    + ". Its messages stay in Redis, and no attempt counts.",
                            unavailable(first).failure()));
        }

        private static Unavailable unavailable(Place place) {
            return Objects.requireNonNull(place.listener().unavailable());
        }

        void checkAttempts(String topic, Attempts all) {
            double limit = limits.maxFailureRate() / (wasActive(Kind.FAILING, topic) ? 2 : 1);
            if (all.failed() >= FEWEST_FAILURES && all.failed() >= limit * all.all()) {
                String text = count(all.succeeded()) + " of " + count(all.all())
                        + " attempts succeeded in the last minute. "
                        + (all.failure() == null
                                ? "The handlers request retries."
                                : "It has been failing for " + span(all.failing()) + ".");
                add(Level.CRITICAL, Kind.FAILING, topic, text, all.failure());
            }
        }

        private boolean isLate(String topic, Duration lag) {
            Duration max = limits.of(topic);
            return lag.compareTo(wasActive(Kind.LATE, topic) ? max.dividedBy(2) : max) > 0;
        }

        /** Why a topic is late. */
        private String cause(TopicStatus topic) {
            if (topic.paused()) {
                return "The topic is paused on all nodes.";
            }
            if (topic.consumers().isEmpty()) {
                return "No node listens to it.";
            }
            LimitStatus limits = topic.limits();
            if (limits != null && limits.heldBackBy() != null) {
                return heldBack(limits);
            }
            List<ListenerStatus> all = statuses(topic.topic());
            if (!all.isEmpty() && all.stream().allMatch(each -> each.state() != State.RUNNING)) {
                return all.stream().anyMatch(each -> each.state() == State.UNAVAILABLE)
                        ? "A system that its handlers need is unavailable."
                        : "All of its listeners are paused or stopped.";
            }
            if (usesAllPermits(topic.topic())) {
                return busy(topic.topic());
            }
            TopicCounts counts = topic.counts();
            return counts != null && counts.leased() == 0
                    ? "No message is being handled although "
                            + counted(topic.consumers().size(), "node listens", "nodes listen")
                            + ". Check the health of the nodes."
                    : "Permits are free.";
        }

        /** Describes what the limits of a topic hold back. */
        private String heldBack(LimitStatus limits) {
            LimitStatus.Hold hold = limits.hold();
            return switch (Objects.requireNonNull(limits.heldBackBy())) {
                case HOLD ->
                    hold == null
                            ? "A message holds it."
                            : "Message " + Printable.of(hold.by()) + " holds it for another "
                                    + span(Duration.between(nodes.at(), hold.until())) + ".";
                case CONCURRENCY ->
                    "Its limit of "
                            + counted(Objects.requireNonNull(limits.effective().maxConcurrent()), "message")
                            + " at a time holds it back.";
                case RATE -> "Its rate of " + limits.effective().rate() + " holds it back.";
            };
        }

        /** How the number of ready messages changes. */
        private String trend(String topic, long ready) {
            Backlog known = last.backlogs.get(topic);
            Backlog backlog = known == null ? new Backlog(now, ready, now, ready) : known.next(now, ready);
            found.backlogs.put(topic, backlog);
            double perMinute = backlog.perMinute(now, ready);
            if (perMinute >= 1) {
                return " More messages become due than are handled: ready messages grow by "
                        + count(Math.round(perMinute)) + " per minute.";
            }
            return perMinute <= -1
                    ? " It is catching up: at this rate no message is ready in about "
                            + span(Duration.ofMillis(Math.round(ready / -perMinute * 60_000))) + "."
                    : "";
        }

        private boolean isBusy(String topic, TopicCounts counts) {
            return usesAllPermits(topic) && counts.leased() > (long) BACKLOG * permits(topic);
        }

        private boolean usesAllPermits(String topic) {
            List<ListenerStatus> running = statuses(topic).stream()
                    .filter(each -> each.state() == State.RUNNING)
                    .toList();
            return !running.isEmpty() && running.stream().allMatch(each -> each.running() >= each.concurrency());
        }

        private int permits(String topic) {
            return statuses(topic).stream()
                    .mapToInt(ListenerStatus::concurrency)
                    .sum();
        }

        private List<ListenerStatus> statuses(String topic) {
            return listeners.getOrDefault(topic, List.of()).stream()
                    .map(Place::listener)
                    .toList();
        }

        /** Describes handlers that use all permits. */
        private String busy(String topic) {
            List<Place> places = listeners.getOrDefault(topic, List.of());
            int permits = permits(topic);
            StringBuilder text = new StringBuilder(
                    permits == 1 ? "Its only permit is used" : "All " + count(permits) + " permits are used");
            Attempts all = attempts.getOrDefault(topic, Attempts.NONE);
            if (all.all() > 0) {
                text.append("; an attempt takes ")
                        .append(
                                all.handling().toSeconds() < 1
                                        ? all.handling().toMillis() + " ms"
                                        : span(all.handling()))
                        .append(" on average");
            }
            Optional<Place> oldest = places.stream()
                    .filter(place -> place.listener().oldest() != null)
                    .max(Comparator.comparing(place -> time(place.listener().oldest())));
            oldest.ifPresent(place -> text.append("; the oldest handler has been running for ")
                    .append(span(time(place.listener().oldest())))
                    .append(" on ")
                    .append(host(place.node().host(), place.node().node())));
            return text.append(". The handlers are slow, or too few.").toString();
        }

        private static Duration time(@Nullable RunningHandler handler) {
            return handler == null ? Duration.ZERO : handler.time();
        }

        private Optional<FormerNode> lastConsumer(String topic) {
            return nodes.former().stream()
                    .filter(node -> node.topics().contains(topic))
                    .findFirst();
        }

        private String lastListener(String topic) {
            return lastConsumer(topic)
                    .map(node -> "The last one, " + host(node.host(), node.node()) + ", "
                            + (node.failed() ? "failed " : "was stopped ") + ago(node) + " ago.")
                    .orElse("Is the name misspelled?");
        }

        private String ago(FormerNode node) {
            return span(Duration.between(node.lastSeen(), nodes.at()));
        }

        private void checkDeadLetters(TopicStatus topic, TopicCounts counts) {
            if (counts.unreviewed() > 0) {
                String all = "It has " + counted(counts.dead(), "dead letter") + ".";
                add(
                        Level.WARNING,
                        Kind.DEAD_LETTERS,
                        topic.topic(),
                        counts.unreviewed() < counts.dead()
                                ? all + " New since the last review: " + count(counts.unreviewed()) + "."
                                : all);
            }
        }

        private void checkPauses(TopicStatus topic) {
            String name = topic.topic();
            if (topic.paused()) {
                add(Level.WARNING, Kind.PAUSED, name, "It is paused on all nodes.");
                return;
            }
            List<Place> places = listeners.getOrDefault(name, List.of());
            List<Place> idle = places.stream().filter(this::isIdle).toList();
            if (!idle.isEmpty()) {
                Place first = idle.get(0);
                String of = "Listener " + Printable.of(first.listener().id()) + " is "
                        + first.listener().state().name().toLowerCase(Locale.ROOT) + " on "
                        + host(first.node().host(), first.node().node());
                add(
                        Level.WARNING,
                        Kind.PAUSED,
                        name,
                        idle.size() == 1
                                ? of + "."
                                : of + ", and "
                                        + counted(idle.size() - 1, "more is not running.", "more are not running."));
            }
        }

        private boolean isIdle(Place place) {
            ListenerStatus listener = place.listener();
            if (listener.state() != State.STOPPED) {
                return listener.state() == State.PAUSED;
            }
            Instant since = since(Kind.PAUSED, place.node().node() + ' ' + listener.id());
            return Duration.between(since, now).compareTo(STOPPED) >= 0;
        }

        void checkNodes() {
            for (NodeStatus node : nodes.live()) {
                Duration silent = Duration.between(node.lastSeen(), nodes.at());
                if (silent.compareTo(silence) > 0) {
                    addNode(
                            node.node(),
                            "Node " + host(node.host(), node.node()) + " (process " + node.processId()
                                    + ") has sent no heartbeat for " + span(silent) + ".");
                }
            }
            for (FormerNode node : nodes.former()) {
                if (node.failed()
                        && Duration.between(node.lastSeen(), nodes.at()).compareTo(NODE_FAILED) <= 0) {
                    addNode(
                            node.node(),
                            "Node " + host(node.host(), node.node()) + " (process " + node.processId() + ") failed "
                                    + ago(node) + " ago.");
                }
            }
        }

        void checkOutbox() {
            OutboxState state = outbox.get();
            if (state == null) {
                return;
            }
            Duration max = wasActive(Kind.OUTBOX, "") ? maxOutboxAge.dividedBy(2) : maxOutboxAge;
            boolean late = state.waiting() > 0 && state.oldest().compareTo(max) > 0;
            String text = late
                    ? "The outbox does not drain: " + rows(state.waiting(), "waiting for Redis") + ", the oldest for "
                            + span(state.oldest()) + "."
                    : "";
            if (state.setAside() > 0) {
                text += (late ? " In the outbox, " : "In the outbox, ")
                        + rows(state.setAside(), "set aside, because Redis rejected ")
                        + (state.setAside() == 1 ? "it" : "them") + " for good.";
            }
            if (!text.isEmpty()) {
                ofNodes.add(new Finding(
                        late ? Level.CRITICAL : Level.WARNING,
                        Kind.OUTBOX,
                        text,
                        null,
                        List.of(),
                        1,
                        since(Kind.OUTBOX, late ? "" : "set aside")));
            }
        }

        private void addNode(String node, String text) {
            ofNodes.add(new Finding(
                    Level.WARNING, Kind.NODE_FAILED, text, null, List.of(), 1, since(Kind.NODE_FAILED, node)));
        }

        Diagnosis result(List<TopicStatus> topics) {
            ofTopics.values().forEach(each -> each.sort(MOST_URGENT));
            Map<Kind, List<Finding>> byKind = Stream.concat(
                            ofTopics.values().stream().flatMap(List::stream), ofNodes.stream())
                    .collect(Collectors.groupingBy(Finding::kind, TreeMap::new, Collectors.toList()));
            Map<Kind, Integer> counts = new TreeMap<>();
            byKind.forEach((kind, all) -> counts.put(kind, all.size()));
            return new Diagnosis(summary(byKind, topics), ofTopics, counts, attempts);
        }

        private List<Finding> summary(Map<Kind, List<Finding>> byKind, List<TopicStatus> topics) {
            List<Finding> groups = new ArrayList<>();
            byKind.forEach((kind, all) -> groups.add(group(kind, all, topics)));
            groups.sort(MOST_URGENT);
            if (groups.size() <= MAX_FINDINGS) {
                return List.copyOf(groups);
            }
            List<Finding> rest = groups.subList(MAX_FINDINGS - 1, groups.size());
            Finding first = rest.get(0);
            String others = rest.stream()
                    .skip(1)
                    .map(each -> each.kind().label() + " (" + each.count() + ")")
                    .collect(Collectors.joining(", "));
            List<Finding> shown = new ArrayList<>(groups.subList(0, MAX_FINDINGS - 1));
            shown.add(new Finding(
                    first.level(),
                    first.kind(),
                    first.text() + " Also: " + others + ".",
                    first.failure(),
                    first.topics(),
                    first.count(),
                    first.since()));
            return List.copyOf(shown);
        }

        /** Groups the findings of one kind; the text is that of the worst one. */
        private Finding group(Kind kind, List<Finding> all, List<TopicStatus> topics) {
            List<Finding> worstFirst = all.stream()
                    .sorted(Comparator.comparing(Finding::level).thenComparing(Finding::since))
                    .toList();
            Finding worst = worstFirst.get(0);
            if (kind == Kind.NO_LISTENER
                    && topics.stream().allMatch(each -> each.consumers().isEmpty())) {
                return nobody(worst, topics.size());
            }
            if (all.size() == 1) {
                return worst;
            }
            List<String> names = worstFirst.stream()
                    .flatMap(each -> each.topics().stream())
                    .limit(Finding.MAX_TOPICS)
                    .toList();
            String text = kind == Kind.NODE_FAILED
                    ? count(all.size()) + " nodes failed or are silent. " + worst.text()
                    : count(all.size()) + " topics: " + kind.label() + ". " + Printable.of(names.get(0)) + ": "
                            + worst.text();
            return new Finding(worst.level(), kind, text, worst.failure(), names, all.size(), worst.since());
        }

        private Finding nobody(Finding worst, int topics) {
            String last = nodes.former().stream()
                    .filter(node -> !node.topics().isEmpty())
                    .findFirst()
                    .map(node -> "; last seen " + ago(node) + " ago: " + host(node.host(), node.node()))
                    .orElse("");
            String of = topics == 1 ? "the topic" : "any of " + counted(topics, "topic");
            return new Finding(
                    noListenerLevel(worst.topics().get(0)),
                    Kind.NO_LISTENER,
                    "No node listens to " + of + last + ".",
                    null,
                    worst.topics(),
                    topics,
                    worst.since());
        }
    }

    private static String host(String host, String node) {
        return Printable.of(host.isEmpty() ? node : host);
    }

    private static String messages(long count, String how) {
        return counted(count, "message is ", "messages are ") + how;
    }

    private static String rows(long count, String how) {
        return counted(count, "row is ", "rows are ") + how;
    }

    private static String counted(long count, String one) {
        return counted(count, one, one + "s");
    }

    private static String counted(long count, String one, String many) {
        return count(count) + ' ' + (count == 1 ? one : many);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** The duration of a state, for people. */
    private static String span(Duration time) {
        if (time.toSeconds() < 1) {
            return "less than 1 s";
        }
        if (time.toMinutes() < 2) {
            return time.toSeconds() + " s";
        }
        if (time.toHours() < 2) {
            return time.toMinutes() + " min";
        }
        return time.toDays() < 2 ? time.toHours() + " h" : time.toDays() + " days";
    }
}
