package io.delayqueue.actuate;

import io.delayqueue.actuate.response.ActionResponse;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.ReplaySummary;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Printable;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Performs each {@code Action}. The status of the response shows whether the action changed something. Thread-safe.
 *
 * @param operations changes live messages
 * @param admin changes dead letters and topics
 * @param listeners the listeners of this node
 */
public record QueueActions(DelayQueueOperations operations, DelayQueueAdmin admin, LocalListeners listeners) {

    private static final int CONFLICT = 409;

    WebEndpointResponse<OperationResponseBody> act(Action action, Parameters parameters) {
        try {
            return perform(action, parameters);
        } catch (DelayQueueUnavailableException e) {
            if (e.isOutcomeUnknown()) {
                return rejected(
                        WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                        "unknown",
                        "It is unknown whether the action was performed. Check the state before you repeat it. "
                                + e.getMessage());
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
            case REPLAY -> replay(parameters.required("topic"), parameters.required("deadLetter"));
            case REPLAY_ALL -> replayAll(parameters.required("topic"));
            case PURGE -> purge(parameters.required("topic"), parameters.required("deadLetter"));
            case PURGE_ALL -> done(ActionResponse.purged(admin.purgeAll(parameters.required("topic"))));
            case DELETE_TOPIC -> deleteTopic(parameters.required("topic"));
            case PAUSE -> pause(parameters);
            case RESUME -> resume(parameters);
        };
    }

    private WebEndpointResponse<OperationResponseBody> cancel(String topic, String id) {
        CancelOutcome outcome = operations.cancel(topic, id);
        return outcome.isCancelled() ? done(ActionResponse.done(outcome)) : noMessage(topic, id);
    }

    private WebEndpointResponse<OperationResponseBody> reschedule(Parameters parameters) {
        String topic = parameters.required("topic");
        String id = parameters.required("id");
        if (parameters.has("delay") == parameters.has("dueAt")) {
            throw RejectedRequestException.badRequest("The action 'reschedule' requires either delay or dueAt.");
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
            case RESCHEDULED -> done(ActionResponse.done(outcome));
            case BEING_HANDLED ->
                conflict(
                        outcome,
                        "Message '" + Printable.of(id) + "' of topic '" + Printable.of(topic)
                                + "' is being handled and was not changed.");
            case NOT_FOUND -> noMessage(topic, id);
        };
    }

    private WebEndpointResponse<OperationResponseBody> replay(String topic, String deadLetter) {
        ReplayOutcome outcome = admin.replay(topic, deadLetter);
        return switch (outcome) {
            case REPLAYED -> done(ActionResponse.done(outcome));
            case ID_LIVE ->
                conflict(
                        outcome,
                        "A message with the id of dead letter '" + Printable.of(deadLetter)
                                + "' is live. The dead letter was not replayed.");
            case UNREADABLE ->
                conflict(
                        outcome,
                        "Dead letter '" + Printable.of(deadLetter)
                                + "' has a format that this version cannot read. It was not replayed.");
            case NOT_FOUND -> noDeadLetter(topic, deadLetter);
        };
    }

    private WebEndpointResponse<OperationResponseBody> replayAll(String topic) {
        ReplaySummary summary = admin.replayAll(topic);
        return done(ActionResponse.replayed(summary));
    }

    private WebEndpointResponse<OperationResponseBody> purge(String topic, String deadLetter) {
        return admin.purge(topic, deadLetter) ? done(ActionResponse.done("purged")) : noDeadLetter(topic, deadLetter);
    }

    private WebEndpointResponse<OperationResponseBody> deleteTopic(String topic) {
        try {
            return admin.deleteTopic(topic)
                    ? done(ActionResponse.done("deleted"))
                    : rejected(
                            WebEndpointResponse.STATUS_NOT_FOUND,
                            "not_found",
                            "There is no topic '" + Printable.of(topic) + "'.");
        } catch (IllegalStateException e) {
            return rejected(CONFLICT, "not_empty", String.valueOf(e.getMessage()));
        }
    }

    private WebEndpointResponse<OperationResponseBody> pause(Parameters parameters) {
        if (isForTopic(parameters)) {
            admin.pauseTopic(parameters.required("topic"));
        } else {
            listeners.required(parameters.required("listener")).pause();
        }
        return done(ActionResponse.done("paused"));
    }

    private WebEndpointResponse<OperationResponseBody> resume(Parameters parameters) {
        if (isForTopic(parameters)) {
            admin.resumeTopic(parameters.required("topic"));
        } else {
            listeners.required(parameters.required("listener")).resume();
        }
        return done(ActionResponse.done("resumed"));
    }

    private static boolean isForTopic(Parameters parameters) {
        if (parameters.has("topic") == parameters.has("listener")) {
            throw RejectedRequestException.badRequest(
                    "The actions 'pause' and 'resume' require either listener (on this node) or topic (on all nodes).");
        }
        return parameters.has("topic");
    }

    private static WebEndpointResponse<OperationResponseBody> noMessage(String topic, String id) {
        return rejected(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "not_found",
                "There is no live message '" + Printable.of(id) + "' in topic '" + Printable.of(topic) + "'.");
    }

    private static WebEndpointResponse<OperationResponseBody> noDeadLetter(String topic, String deadLetter) {
        return rejected(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "not_found",
                "There is no dead letter '" + Printable.of(deadLetter) + "' in topic '" + Printable.of(topic) + "'.");
    }

    private static WebEndpointResponse<OperationResponseBody> done(ActionResponse response) {
        return new WebEndpointResponse<>(response);
    }

    private static WebEndpointResponse<OperationResponseBody> rejected(int status, String outcome, String sentence) {
        return new WebEndpointResponse<>(ActionResponse.failed(outcome, sentence), status);
    }

    private static WebEndpointResponse<OperationResponseBody> conflict(Enum<?> outcome, String sentence) {
        return new WebEndpointResponse<>(ActionResponse.failed(outcome, sentence), CONFLICT);
    }
}
