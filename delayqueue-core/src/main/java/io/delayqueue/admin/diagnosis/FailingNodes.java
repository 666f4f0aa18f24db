package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes on which nearly all attempts of a topic fail while most attempts on other nodes succeed.
 *
 * @param nodes the nodes; none if no node fails, or no other node succeeds
 * @param of their attempts
 * @param others the attempts on all other nodes
 * @param succeeding number of nodes on which most attempts succeed
 * @param alone whether a listener of these nodes claims slower, because it {@linkplain State#FAILS_ALONE fails alone}
 */
record FailingNodes(List<NodeStatus> nodes, Attempts of, Attempts others, int succeeding, boolean alone) {

    private static final double NEARLY_ALL = 0.9;
    private static final int MOST_NAMES = 2;

    private static final FailingNodes NONE = new FailingNodes(List.of(), Attempts.NONE, Attempts.NONE, 0, false);

    /** Returns the failing nodes of a topic with these listeners. */
    static FailingNodes among(List<NodeListener> listeners) {
        Map<String, NodeStatus> failing = new LinkedHashMap<>();
        Set<String> succeeding = new HashSet<>();
        boolean anyAlone = false;
        for (NodeListener each : listeners) {
            Attempts attempts = each.listener().attempts();
            boolean alone = each.listener().state() == State.FAILS_ALONE;
            anyAlone |= alone;
            if (alone || fails(attempts)) {
                failing.put(each.node().node(), each.node());
            } else if (attempts.succeeded() > attempts.failed()) {
                succeeding.add(each.node().node());
            }
        }
        succeeding.removeAll(failing.keySet());
        if (failing.isEmpty() || succeeding.isEmpty()) {
            return NONE;
        }
        Attempts of = Attempts.NONE;
        Attempts others = Attempts.NONE;
        for (NodeListener each : listeners) {
            if (failing.containsKey(each.node().node())) {
                of = of.plus(each.listener().attempts());
            } else {
                others = others.plus(each.listener().attempts());
            }
        }
        return new FailingNodes(List.copyOf(failing.values()), of, others, succeeding.size(), anyAlone);
    }

    private static boolean fails(Attempts attempts) {
        return attempts.failed() >= FailureRule.FEWEST && attempts.failed() >= NEARLY_ALL * attempts.all();
    }

    /** Whether nearly all failures of the topic are on these nodes. */
    boolean explain() {
        return !nodes.isEmpty() && of.failed() >= NEARLY_ALL * (of.failed() + others.failed());
    }

    /** The only failing node; null if there is none, or several. */
    @Nullable
    NodeStatus only() {
        return nodes.size() == 1 ? nodes.get(0) : null;
    }

    /** Describes the failures. */
    String text() {
        if (of.failed() == 0) {
            return "The last attempts on " + names() + " failed. " + othersSucceed();
        }
        String failed = Wording.count(of.failed()) + " of " + Wording.counted(of.all(), "attempt") + ". ";
        return others.failed() == 0
                ? "All failures are on " + names() + ": " + failed + othersSucceed()
                : "Attempts fail on " + names() + ": " + failed + "On the other nodes, "
                        + Wording.count(others.failed()) + " of " + Wording.counted(others.all(), "attempt")
                        + " failed.";
    }

    private String othersSucceed() {
        return Wording.counted(succeeding, "other node succeeds", "other nodes succeed") + ".";
    }

    private String names() {
        return nodes.size() > MOST_NAMES
                ? Wording.count(nodes.size()) + " nodes"
                : nodes.stream()
                        .map(each -> Wording.host(each.host(), each.node()))
                        .sorted()
                        .collect(Collectors.joining(" and "));
    }
}
