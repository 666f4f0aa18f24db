package io.delayqueue.actuate;

import io.delayqueue.actuate.response.DeadLetterResponse;
import io.delayqueue.actuate.response.MessageResponse;
import io.delayqueue.actuate.response.UpcomingResponse;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.MessagePage;
import io.delayqueue.admin.MessageView;
import io.delayqueue.message.Printable;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Reads each {@code View}. Thread-safe.
 *
 * @param topics reads topics
 * @param inspector reads live messages
 * @param admin reads dead letters
 * @param operations finds messages by their id
 */
public record QueueViews(
        TopicReader topics, DelayQueueInspector inspector, DelayQueueAdmin admin, DelayQueueOperations operations) {

    private static final int DEFAULT_PAGE = 50;
    private static final Duration DEFAULT_SPAN = Duration.ofHours(1);
    private static final int DEFAULT_BUCKETS = 60;

    /**
     * Reads one view.
     *
     * @param open whether the caller may see payloads and headers
     */
    OperationResponseBody read(View view, Parameters parameters, boolean open) {
        String topic = parameters.required("topic");
        return switch (view) {
            case TOPIC -> topic(topic);
            case MESSAGES -> messages(topic, parameters, open);
            case MESSAGE -> message(topic, parameters.required("id"), open);
            case DEAD -> deadLetters(topic, parameters, open);
            case DEAD_LETTER -> deadLetter(topic, parameters.required("deadLetter"), open);
            case UPCOMING -> upcoming(topic, parameters);
        };
    }

    private OperationResponseBody topic(String topic) {
        return topics.one(topic)
                .orElseThrow(
                        () -> RejectedRequestException.notFound("There is no topic '" + Printable.of(topic) + "'."));
    }

    private OperationResponseBody messages(String topic, Parameters parameters, boolean open) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueInspector.MAX_PAGE);
        MessagePage page = inspector.messages(topic, state(parameters), count, parameters.text("page"));
        return new MessageResponse.Page(
                page.messages().stream()
                        .map(message -> MessageResponse.of(message, open))
                        .toList(),
                page.next());
    }

    private static MessageView state(Parameters parameters) {
        String state = parameters.text("state");
        if (state == null) {
            return MessageView.SCHEDULED;
        }
        return Stream.of(MessageView.values())
                .filter(view -> view.name().toLowerCase(Locale.ROOT).equals(state))
                .findFirst()
                .orElseThrow(() -> parameters.wrong("state", "scheduled, ready or leased"));
    }

    private OperationResponseBody message(String topic, String id, boolean open) {
        return operations
                .find(topic, id)
                .map(message -> MessageResponse.of(message, open))
                .orElseThrow(() -> RejectedRequestException.notFound(
                        "There is no live message '" + Printable.of(id) + "' in topic '" + Printable.of(topic) + "'."));
    }

    private OperationResponseBody deadLetters(String topic, Parameters parameters, boolean open) {
        int count = parameters.number("count", DEFAULT_PAGE, DelayQueueAdmin.MAX_PAGE);
        DeadLetterPage page = admin.deadLetters(topic, count, parameters.text("page"));
        return new DeadLetterResponse.Page(
                page.deadLetters().stream()
                        .map(deadLetter -> DeadLetterResponse.of(deadLetter, open))
                        .toList(),
                page.next());
    }

    private OperationResponseBody deadLetter(String topic, String deadLetter, boolean open) {
        return admin.deadLetter(topic, deadLetter)
                .map(found -> DeadLetterResponse.of(found, open))
                .orElseThrow(() -> RejectedRequestException.notFound("There is no dead letter '"
                        + Printable.of(deadLetter) + "' in topic '" + Printable.of(topic) + "'."));
    }

    private OperationResponseBody upcoming(String topic, Parameters parameters) {
        Duration span = parameters.has("span") ? parameters.duration("span") : DEFAULT_SPAN;
        int buckets = parameters.number("buckets", DEFAULT_BUCKETS, DelayQueueInspector.MAX_BUCKETS);
        return UpcomingResponse.of(inspector.upcoming(topic, span, buckets));
    }
}
