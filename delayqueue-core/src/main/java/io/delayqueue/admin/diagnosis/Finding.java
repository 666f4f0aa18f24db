package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator should look at.
 *
 * @param level how urgent it is
 * @param kind what it is
 * @param text one or more sentences, for people; contains no data of messages
 * @param failure class and text of an exception, which may contain data of messages; null if there is none
 * @param topics the topics that it concerns, the worst first, at most {@value #MAX_TOPICS}; empty if it concerns none
 * @param node host of the node that causes it, or its name if the host is unknown; null if it concerns none or several
 * @param count number of topics, or of nodes, that it concerns
 * @param since when this process found it first
 */
@Internal
public record Finding(
        Level level,
        Kind kind,
        String text,
        @Nullable String failure,
        List<String> topics,
        @Nullable String node,
        int count,
        Instant since) {

    static final int MAX_TOPICS = 20;

    Finding withText(String text) {
        return new Finding(level, kind, text, failure, topics, node, count, since);
    }

    /** This finding as that of several topics or nodes. */
    Finding with(List<String> topics, int count) {
        return new Finding(level, kind, text, failure, topics, count == 1 ? node : null, count, since);
    }

    /** How urgent a finding is. */
    public enum Level {
        /** Messages are late, fail or are not handled. */
        CRITICAL,
        /** Messages may be late or lost soon, or work was stopped on purpose. */
        WARNING
    }

    /** What was found, the most urgent first. */
    public enum Kind {
        /** Redis refuses writes, its memory is nearly full, or it may evict keys. */
        REDIS("problems of Redis"),
        /** The counts of a topic could not be read. */
        UNKNOWN("their state is unknown"),
        /** Most attempts of a topic fail, or nearly all on one node while others succeed. */
        FAILING("attempts fail"),
        /** A system that the handlers of a topic need is unavailable. */
        UNAVAILABLE("a system that their handlers need is unavailable"),
        /** No node listens to a topic that has messages. */
        NO_LISTENER("no node listens"),
        /** The oldest due message of a topic has been waiting for too long. */
        LATE("late"),
        /** Handlers of a listener on a node run much longer than usual while messages wait. */
        STUCK("handlers are stuck"),
        /** An HTTP client or an application holds leases of a topic for much longer than usual. */
        LEASES("receivers hold leases for long"),
        /** The outbox does not drain, or has rows that were rejected for good. */
        OUTBOX("the outbox has messages that are not sent or cancelled"),
        /** A node failed. */
        NODE_FAILED("nodes failed or are silent"),
        /** All permits of a topic are used, and many messages wait for a handler. */
        BUSY("all handlers are busy"),
        /** More messages of a topic become due than are handled. */
        GROWTH("more messages become due than are handled"),
        /** One shard of a topic has far more ready messages than the others. */
        SHARDS("one shard has most of their messages"),
        /** Messages of a topic are handled in isolation, because their leases ended repeatedly without a settlement. */
        SUSPECTS("messages are suspected to crash their process"),
        /** One message holds its topic repeatedly. */
        HELD("a message holds them repeatedly"),
        /** The properties of nodes declare different limits of a topic. */
        LIMITS("nodes declare different limits"),
        /** A message of a topic is due far later than most others. */
        DATES("due times are far above the usual"),
        /** Schedules of a topic have not succeeded for two of their periods. */
        SCHEDULES("schedules have not succeeded for two periods"),
        /** Retention deletes unreviewed dead letters of a topic soon. */
        RETENTION("unreviewed dead letters are deleted soon"),
        /** A topic has dead letters that are not reviewed. */
        DEAD_LETTERS("dead letters"),
        /** A topic or one of its listeners is paused, or a listener of a live node has been stopped for 30 s. */
        PAUSED("paused or stopped");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }
}
