package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.ActionAnswer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.ReplaySummary;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Does each {@code Action}, and says by a status whether it changed something. Thread-safe.
 *
 * @param operations for live messages
 * @param admin for dead letters and topics
 * @param listeners of this node
 */
public record QueueActions(DelayQueueOperations operations, DelayQueueAdmin admin, LocalListeners listeners) {

    private static final int CONFLICT = 409;

    WebEndpointResponse<OperationResponseBody> act(Action action, Parameters parameters) {
        try {
            return perform(action, parameters);
        } catch (DelayQueueUnavailableException e) {
            if (e.getCause() instanceof RedisCallException call && call.mayHaveWritten()) {
                return refused(
                        WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                        "UNKNOWN",
                        "Nobody knows whether it is done: look before you repeat it. " + e.getMessage());
            }
            throw e;
        }
    }

    private WebEndpointResponse<OperationResponseBody> perform(Action action, Parameters parameters) {
        return switch (action) {
            case CANCEL -> cancel(parameters.required("topic"), parameters.required("id"));
            case RESCHEDULE -> reschedule(parameters);
            case RUN -> {
                String topic = parameters.required("topic");
                String id = parameters.required("id");
                yield moved(topic, id, operations.reschedule(topic, id, Duration.ZERO));
            }
            case REPLAY -> replay(parameters.required("topic"), parameters.required("letter"));
            case REPLAY_ALL -> replayAll(parameters.required("topic"));
            case PURGE -> purge(parameters.required("topic"), parameters.required("letter"));
            case PURGE_ALL -> done(ActionAnswer.done("PURGED", admin.purgeAll(parameters.required("topic"))));
            case DELETE_TOPIC -> deleteTopic(parameters.required("topic"));
            case PAUSE -> pause(parameters);
            case RESUME -> resume(parameters);
        };
    }

    private WebEndpointResponse<OperationResponseBody> cancel(String topic, String id) {
        CancelOutcome outcome = operations.cancel(topic, id);
        return outcome.isCancelled() ? done(ActionAnswer.done(outcome.name())) : noMessage(topic, id);
    }

    private WebEndpointResponse<OperationResponseBody> reschedule(Parameters parameters) {
        String topic = parameters.required("topic");
        String id = parameters.required("id");
        if (parameters.has("delay") == parameters.has("dueAt")) {
            throw NotAnsweredException.badRequest("To reschedule takes either a delay or a dueAt.");
        }
        return moved(
                topic,
                id,
                parameters.has("delay")
                        ? operations.reschedule(topic, id, parameters.duration("delay"))
                        : operations.reschedule(topic, id, parameters.instant("dueAt")));
    }

    private static WebEndpointResponse<OperationResponseBody> moved(
            String topic, String id, RescheduleOutcome outcome) {
        return switch (outcome) {
            case RESCHEDULED -> done(ActionAnswer.done(outcome.name()));
            case BEING_HANDLED ->
                refused(
                        CONFLICT,
                        outcome.name(),
                        "Message '" + id + "' of topic '" + topic + "' is being handled, so that it stays as it is.");
            case NOT_FOUND -> noMessage(topic, id);
        };
    }

    private WebEndpointResponse<OperationResponseBody> replay(String topic, String letter) {
        ReplayOutcome outcome = admin.replay(topic, letter);
        return switch (outcome) {
            case REPLAYED -> done(ActionAnswer.done(outcome.name()));
            case ID_LIVE ->
                refused(
                        CONFLICT,
                        outcome.name(),
                        "A message with the id of letter '" + letter + "' is live, so that the letter stays.");
            case UNREADABLE ->
                refused(
                        CONFLICT,
                        outcome.name(),
                        "Letter '" + letter + "' can't be read by this version, so that it stays.");
            case NOT_FOUND -> noLetter(topic, letter);
        };
    }

    private WebEndpointResponse<OperationResponseBody> replayAll(String topic) {
        ReplaySummary summary = admin.replayAll(topic);
        return done(new ActionAnswer("REPLAYED", summary.replayed(), summary.kept(), null));
    }

    private WebEndpointResponse<OperationResponseBody> purge(String topic, String letter) {
        return admin.purge(topic, letter) ? done(ActionAnswer.done("PURGED")) : noLetter(topic, letter);
    }

    private WebEndpointResponse<OperationResponseBody> deleteTopic(String topic) {
        try {
            return admin.deleteTopic(topic)
                    ? done(ActionAnswer.done("DELETED"))
                    : refused(WebEndpointResponse.STATUS_NOT_FOUND, "NOT_FOUND", "There is no topic '" + topic + "'.");
        } catch (IllegalStateException e) {
            return refused(CONFLICT, "NOT_EMPTY", String.valueOf(e.getMessage()));
        }
    }

    private WebEndpointResponse<OperationResponseBody> pause(Parameters parameters) {
        if (isForTopic(parameters)) {
            admin.pauseTopic(parameters.required("topic"));
        } else {
            listeners.required(parameters.required("listener")).pause();
        }
        return done(ActionAnswer.done("PAUSED"));
    }

    private WebEndpointResponse<OperationResponseBody> resume(Parameters parameters) {
        if (isForTopic(parameters)) {
            admin.resumeTopic(parameters.required("topic"));
        } else {
            listeners.required(parameters.required("listener")).resume();
        }
        return done(ActionAnswer.done("RESUMED"));
    }

    private static boolean isForTopic(Parameters parameters) {
        if (parameters.has("topic") == parameters.has("listener")) {
            throw NotAnsweredException.badRequest(
                    "To pause or resume takes either a listener, for this node, or a topic, for all nodes.");
        }
        return parameters.has("topic");
    }

    private static WebEndpointResponse<OperationResponseBody> noMessage(String topic, String id) {
        return refused(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "NOT_FOUND",
                "There is no live message '" + id + "' in topic '" + topic + "' now.");
    }

    private static WebEndpointResponse<OperationResponseBody> noLetter(String topic, String letter) {
        return refused(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "NOT_FOUND",
                "There is no dead letter '" + letter + "' in topic '" + topic + "'.");
    }

    private static WebEndpointResponse<OperationResponseBody> done(ActionAnswer answer) {
        return new WebEndpointResponse<>(answer);
    }

    private static WebEndpointResponse<OperationResponseBody> refused(int status, String outcome, String sentence) {
        return new WebEndpointResponse<>(ActionAnswer.nothing(outcome, sentence), status);
    }
}
