package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.server.ServerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Topics and nodes at the time of one diagnosis, and what the rules found. */
final class Situation {

    private final Instant now;
    private final List<TopicStatus> topics;
    private final Nodes nodes;
    private final List<ServerState> servers;
    private final Map<String, List<LeaseHolder>> holders;
    private final Map<String, List<NodeListener>> listeners = new HashMap<>();
    private final Map<String, Attempts> attempts;
    private final Map<Key, Instant> before;
    private final Map<Key, Instant> since = new HashMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final Set<Kind> explained = EnumSet.noneOf(Kind.class);

    /** Identifies a finding from one diagnosis to the next. */
    record Key(Kind kind, String name) {}

    /**
     * Describes a situation.
     *
     * @param holders the holders of old leases, the oldest lease first
     * @param before when each finding of the last diagnosis was found first
     */
    Situation(
            Instant now,
            List<TopicStatus> topics,
            Nodes nodes,
            List<ServerState> servers,
            List<LeaseHolder> holders,
            Map<Key, Instant> before) {
        this.servers = servers;
        this.holders = holders.stream().collect(Collectors.groupingBy(LeaseHolder::topic));
        this.now = now;
        this.topics = topics;
        this.nodes = nodes;
        this.attempts = nodes.attempts();
        this.before = before;
        for (NodeStatus node : nodes.live()) {
            for (ListenerStatus listener : node.listeners()) {
                if (listener.kind() == QueueKind.MESSAGES) {
                    listeners
                            .computeIfAbsent(listener.topic(), topic -> new ArrayList<>())
                            .add(new NodeListener(node, listener));
                }
            }
        }
    }

    Instant now() {
        return now;
    }

    List<TopicStatus> topics() {
        return topics;
    }

    Nodes nodes() {
        return nodes;
    }

    /** The state of each Redis server that is known. */
    List<ServerState> servers() {
        return servers;
    }

    /** The holders of old leases of a topic, the oldest lease first. */
    List<LeaseHolder> holders(String topic) {
        return holders.getOrDefault(topic, List.of());
    }

    /** Declares that findings of these kinds follow from one that was added. They are not added. */
    void explain(Set<Kind> kinds) {
        explained.addAll(kinds);
    }

    /** The attempts of the last minute by topic, over all live nodes; topics without attempts are missing. */
    Map<String, Attempts> attempts() {
        return attempts;
    }

    /** The listeners of a topic's messages on all live nodes. */
    List<NodeListener> listeners(String topic) {
        return listeners.getOrDefault(topic, List.of());
    }

    /** The former node that consumed a topic last. */
    Optional<FormerNode> lastConsumer(String topic) {
        return nodes.former().stream()
                .filter(node -> node.topics().contains(topic))
                .findFirst();
    }

    /** The time since the last heartbeat of a former node. */
    String ago(FormerNode node) {
        return Wording.span(Duration.between(node.lastSeen(), nodes.at()));
    }

    boolean usesAllPermits(String topic) {
        List<ListenerStatus> running =
                statuses(topic).filter(each -> each.state() == State.RUNNING).toList();
        return !running.isEmpty() && running.stream().allMatch(each -> each.running() >= each.concurrency());
    }

    int permits(String topic) {
        return statuses(topic).mapToInt(ListenerStatus::concurrency).sum();
    }

    private Stream<ListenerStatus> statuses(String topic) {
        return listeners(topic).stream().map(NodeListener::listener);
    }

    /** Describes handlers that use all permits. */
    String busy(String topic) {
        int permits = permits(topic);
        StringBuilder text = new StringBuilder(
                permits == 1 ? "Its only permit is used" : "All " + Wording.count(permits) + " permits are used");
        Attempts all = attempts.getOrDefault(topic, Attempts.NONE);
        if (all.all() > 0) {
            text.append("; an attempt takes ")
                    .append(
                            all.handling().toSeconds() < 1
                                    ? all.handling().toMillis() + " ms"
                                    : Wording.span(all.handling()))
                    .append(" on average");
        }
        listeners(topic).stream()
                .filter(each -> each.listener().oldest() != null)
                .max(Comparator.comparing(NodeListener::oldest))
                .ifPresent(each -> text.append("; the oldest handler has been running for ")
                        .append(Wording.span(each.oldest()))
                        .append(" on ")
                        .append(each.host()));
        return text.append(". The handlers are slow, or too few.").toString();
    }

    /** When a finding was found first: now, unless the last diagnosis found it, too. */
    Instant since(Kind kind, String name) {
        Key key = new Key(kind, name);
        return since.computeIfAbsent(key, absent -> before.getOrDefault(key, now));
    }

    /** Whether the last diagnosis found it. */
    boolean wasFound(Kind kind, String name) {
        return before.containsKey(new Key(kind, name));
    }

    /** Whether a rule has found one of these kinds of a topic, and it is critical. */
    boolean isCritical(String topic, Kind... kinds) {
        return findings.stream()
                .anyMatch(each -> each.level() == Level.CRITICAL
                        && each.topics().contains(topic)
                        && List.of(kinds).contains(each.kind()));
    }

    /** Adds a finding about a topic. */
    void addTopic(Level level, Kind kind, String topic, String text) {
        addTopic(level, kind, topic, null, text, null);
    }

    /**
     * Adds a finding about a topic.
     *
     * @param node the node that causes it; null if none or several do
     * @param failure class and text of an exception; null if there is none
     */
    void addTopic(
            Level level, Kind kind, String topic, @Nullable NodeStatus node, String text, @Nullable String failure) {
        add(new Finding(
                level,
                kind,
                text,
                failure,
                List.of(topic),
                node == null ? null : Wording.host(node.host(), node.node()),
                1,
                since(kind, topic)));
    }

    /**
     * Adds a finding that concerns no topic.
     *
     * @param node the node that it concerns, for people; null if it concerns none
     * @param name identifies the finding from one diagnosis to the next
     */
    void add(Level level, Kind kind, @Nullable String node, String name, String text) {
        add(level, kind, node, name, text, null);
    }

    /**
     * Adds a finding that concerns no topic.
     *
     * @param node the node that it concerns, for people; null if it concerns none
     * @param name identifies the finding from one diagnosis to the next
     * @param failure class and text of an exception; null if there is none
     */
    void add(Level level, Kind kind, @Nullable String node, String name, String text, @Nullable String failure) {
        add(new Finding(level, kind, text, failure, List.of(), node, 1, since(kind, name)));
    }

    private void add(Finding finding) {
        if (!explained.contains(finding.kind())) {
            findings.add(finding);
        }
    }

    List<Finding> findings() {
        return findings;
    }

    /** When each finding was found first, for the next diagnosis. */
    Map<Key, Instant> found() {
        return since;
    }
}
