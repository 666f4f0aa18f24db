package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;

/** No node listens to a topic that has messages. */
final class NoListenerRule implements TopicRule {

    /** Time after which the finding is critical; at once if the last node failed. A restart takes less. */
    private static final Duration RESTART = Duration.ofSeconds(5);

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        long waiting = counts.ready() + counts.scheduled();
        if (topic.consumers().isEmpty() && waiting > 0 && !topic.paused()) {
            String name = topic.topic();
            situation.addTopic(
                    counts.ready() > 0 ? level(situation, name) : Level.WARNING,
                    Kind.NO_LISTENER,
                    name,
                    "No node listens to it, but " + Wording.messages(waiting, "waiting") + ". "
                            + lastListener(situation, name));
        }
    }

    private static Level level(Situation situation, String topic) {
        Duration time = Duration.between(situation.since(Kind.NO_LISTENER, topic), situation.now());
        boolean failed = situation.lastConsumer(topic).map(FormerNode::failed).orElse(false);
        return failed || time.compareTo(RESTART) >= 0 ? Level.CRITICAL : Level.WARNING;
    }

    private static String lastListener(Situation situation, String topic) {
        return situation
                .lastConsumer(topic)
                .map(node -> "The last one, " + Wording.host(node.host(), node.node()) + ", "
                        + (node.failed() ? "failed " : "was stopped ") + situation.ago(node) + " ago.")
                .orElse("Is the name misspelled?");
    }

    /** The text for a queue to whose topics no node listens. */
    static String ofAllTopics(Situation situation) {
        String last = situation.nodes().former().stream()
                .filter(node -> !node.topics().isEmpty())
                .findFirst()
                .map(node -> "; last seen " + situation.ago(node) + " ago: " + Wording.host(node.host(), node.node()))
                .orElse("");
        int topics = situation.topics().size();
        return "No node listens to " + (topics == 1 ? "the topic" : "any of " + Wording.counted(topics, "topic")) + last
                + ".";
    }
}
