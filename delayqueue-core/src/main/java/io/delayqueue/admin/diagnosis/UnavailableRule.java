package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** A system that the handlers of a topic need is unavailable; critical if all of its listeners wait for it. */
final class UnavailableRule implements TopicRule {

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        List<NodeListener> all = situation.listeners(topic.topic());
        List<NodeListener> waiting = all.stream()
                .filter(each -> each.listener().unavailable() != null)
                .toList();
        waiting.stream()
                .max(Comparator.comparing(each -> unavailable(each).time()))
                .ifPresent(first -> situation.addTopic(
                        waiting.size() == all.size() ? Level.CRITICAL : Level.WARNING,
                        Kind.UNAVAILABLE,
                        topic.topic(),
                        waiting.size() == 1 ? first.node() : null,
                        "A system that listener "
                                + Printable.of(first.listener().id()) + " needs has been unavailable for "
                                + Wording.span(unavailable(first).time()) + " on " + first.host()
                                + (waiting.size() == 1 ? "" : ", and for " + (waiting.size() - 1) + " more")
                                + ". Its messages stay in Redis, and no attempt counts.",
                        unavailable(first).failure()));
    }

    private static Unavailable unavailable(NodeListener listener) {
        return Objects.requireNonNull(listener.listener().unavailable());
    }
}
