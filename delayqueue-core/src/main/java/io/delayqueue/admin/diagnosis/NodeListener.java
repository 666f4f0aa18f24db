package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import java.time.Duration;

/** A listener on a node. */
record NodeListener(NodeStatus node, ListenerStatus listener) {

    String host() {
        return Wording.host(node.host(), node.node());
    }

    /** How long its oldest handler has been running; zero if none is. */
    Duration oldest() {
        RunningHandler oldest = listener.oldest();
        return oldest == null ? Duration.ZERO : oldest.time();
    }
}
