package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.LetterAnswer;
import io.delayqueue.actuate.answer.MessageAnswer;
import io.delayqueue.actuate.answer.UpcomingAnswer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.LetterPage;
import io.delayqueue.admin.MessagePage;
import io.delayqueue.admin.MessageView;
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
 * @param operations find messages by their id
 */
public record QueueViews(
        TopicReader topics, DelayQueueInspector inspector, DelayQueueAdmin admin, DelayQueueOperations operations) {

    private static final int USUAL_PAGE = 50;
    private static final Duration USUAL_SPAN = Duration.ofHours(1);
    private static final int USUAL_BUCKETS = 60;

    /**
     * Reads what is asked for.
     *
     * @param open whether the caller may see payloads and headers
     */
    OperationResponseBody read(View view, Parameters parameters, boolean open) {
        String topic = parameters.required("topic");
        return switch (view) {
            case TOPIC -> topic(topic);
            case MESSAGES -> messages(topic, parameters, open);
            case MESSAGE -> message(topic, parameters.required("id"), open);
            case DEAD -> letters(topic, parameters, open);
            case LETTER -> letter(topic, parameters.required("letter"), open);
            case UPCOMING -> upcoming(topic, parameters);
        };
    }

    private OperationResponseBody topic(String topic) {
        return topics.one(topic).orElseThrow(() -> NotAnsweredException.notFound("There is no topic '" + topic + "'."));
    }

    private OperationResponseBody messages(String topic, Parameters parameters, boolean open) {
        int count = parameters.number("count", USUAL_PAGE, DelayQueueInspector.MAX_PAGE);
        MessagePage page = inspector.messages(topic, state(parameters), count, parameters.text("page"));
        return new MessageAnswer.Page(
                page.messages().stream()
                        .map(message -> MessageAnswer.of(message, open))
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
                .map(message -> MessageAnswer.of(message, open))
                .orElseThrow(() -> NotAnsweredException.notFound(
                        "There is no live message '" + id + "' in topic '" + topic + "' now."));
    }

    private OperationResponseBody letters(String topic, Parameters parameters, boolean open) {
        int count = parameters.number("count", USUAL_PAGE, DelayQueueAdmin.MAX_PAGE);
        LetterPage page = admin.letters(topic, count, parameters.text("page"));
        return new LetterAnswer.Page(
                page.letters().stream()
                        .map(letter -> LetterAnswer.of(letter, open))
                        .toList(),
                page.next());
    }

    private OperationResponseBody letter(String topic, String letter, boolean open) {
        return admin.letter(topic, letter)
                .map(found -> LetterAnswer.of(found, open))
                .orElseThrow(() -> NotAnsweredException.notFound(
                        "There is no dead letter '" + letter + "' in topic '" + topic + "'."));
    }

    private OperationResponseBody upcoming(String topic, Parameters parameters) {
        Duration span = parameters.has("span") ? parameters.duration("span") : USUAL_SPAN;
        int buckets = parameters.number("buckets", USUAL_BUCKETS, DelayQueueInspector.MAX_BUCKETS);
        return UpcomingAnswer.of(inspector.upcoming(topic, span, buckets));
    }
}
