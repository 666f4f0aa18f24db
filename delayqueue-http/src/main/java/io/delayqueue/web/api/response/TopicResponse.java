package io.delayqueue.web.api.response;

import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicPage;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.web.api.json.Formats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A topic. Counts and lag are omitted if a shard could not be counted.
 *
 * @param topic the name
 * @param shards number of shards
 * @param paused whether the topic is paused on all nodes
 * @param scheduled number of messages that are not yet due
 * @param ready number of messages that are due and not claimed, including suspects
 * @param suspects number of messages that wait to be handled in isolation
 * @param leased number of leased messages
 * @param dead number of dead letters
 * @param unreviewed number of dead letters that are not reviewed
 * @param lagMillis how long the oldest due message has been waiting, in milliseconds; 0 if no message is due
 * @param consumers names of the nodes on which a listener of the topic runs, or that received from it within the last
 *     minute
 * @param problem why there are no counts; omitted if there are counts
 */
public record TopicResponse(
        String topic,
        int shards,
        boolean paused,
        @Nullable Long scheduled,
        @Nullable Long ready,
        @Nullable Long suspects,
        @Nullable Long leased,
        @Nullable Long dead,
        @Nullable Long unreviewed,
        @Nullable Long lagMillis,
        List<String> consumers,
        @Nullable String problem) {

    /** Creates the response of a topic. */
    public static TopicResponse of(TopicStatus status) {
        TopicCounts counts = status.counts();
        return new TopicResponse(
                status.topic(),
                status.shards(),
                status.paused(),
                counts == null ? null : counts.scheduled(),
                counts == null ? null : counts.ready(),
                counts == null ? null : counts.suspects(),
                counts == null ? null : counts.leased(),
                counts == null ? null : counts.dead(),
                counts == null ? null : counts.unreviewed(),
                counts == null ? null : counts.lag().toMillis(),
                status.consumers(),
                status.problem());
    }

    /**
     * A page of topics.
     *
     * @param topics by name; may have fewer elements than requested
     * @param next value of the parameter page for the next page; omitted on the last page
     */
    public record Topics(
            List<TopicResponse> topics, @Nullable String next) {

        /** Creates the response of a page. */
        public static Topics of(TopicPage page) {
            return new Topics(
                    page.topics().stream().map(TopicResponse::of).toList(),
                    page.next() == null ? null : Formats.base64Url(page.next()));
        }
    }
}
