package io.delayqueue.actuate;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DeadLetterFilter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Printable;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.template.OutcomeUnknownException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Performs the actions. The status of the response tells whether the action changed something; if so, the action is added
 * to the audit log. Thread-safe.
 *
 * @param operations changes live messages
 * @param admin changes dead letters and topics
 * @param schedules changes schedules; null if the application has operations of its own
 * @param jobs runs actions on many messages; adds them to the audit log itself
 */
public record QueueActions(
        DelayQueueOperations operations,
        @Nullable DelayQueueSchedules schedules,
        DelayQueueAdmin admin,
        DelayQueueJobs jobs,
        AuditLog audit) {

    private static final int CONFLICT = 409;

    /**
     * Performs an action.
     *
     * @param by name of the user who requests it; empty if unknown
     */
    WebEndpointResponse<ActionResponse> act(Operation action, Parameters parameters, String by) {
        try {
            WebEndpointResponse<ActionResponse> response = perform(action, parameters, by);
            if (response.getStatus() == WebEndpointResponse.STATUS_OK && action != Operation.START_JOB) {
                String object = Stream.of("id", "deadLetter", "listener", "client", "node", "job")
                        .filter(parameters::has)
                        .map(name -> " " + parameters.required(name))
                        .collect(Collectors.joining());
                audit.add(by, action.path() + object, Objects.requireNonNullElse(parameters.text("topic"), ""), 1);
            }
            return response;
        } catch (DelayQueueUnavailableException e) {
            if (e.isOutcomeUnknown()) {
                return unknown(e);
            }
            throw e;
        } catch (OutcomeUnknownException e) {
            return unknown(e);
        }
    }

    private static WebEndpointResponse<ActionResponse> unknown(DelayQueueException failure) {
        return rejected(
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                "unknown",
                "It is unknown whether the action was performed. Check the state before you repeat it. "
                        + failure.getMessage());
    }

    private WebEndpointResponse<ActionResponse> perform(Operation action, Parameters parameters, String by) {
        return switch (action) {
            case CANCEL -> cancel(parameters.required("topic"), parameters.required("id"));
            case RESCHEDULE, RUN -> reschedule(action, parameters);
            case REPLAY -> replay(parameters.required("topic"), parameters.required("deadLetter"));
            case PURGE -> purge(parameters.required("topic"), parameters.required("deadLetter"));
            case REVIEW -> review(parameters.required("topic"));
            case START_JOB -> startJob(parameters, by);
            case STOP_JOB -> stopJob(parameters.required("job"));
            case DELETE_TOPIC -> deleteTopic(parameters.required("topic"));
            case LIMIT -> limit(parameters);
            case CLEAR_LIMITS -> clearLimits(parameters);
            case LIFT_HOLD -> liftHold(parameters.required("topic"));
            case RELEASE -> release(parameters);
            case RUN_SCHEDULE, PAUSE_SCHEDULE, RESUME_SCHEDULE, REMOVE_SCHEDULE -> schedule(action, parameters);
            case PAUSE -> pause(parameters, by);
            case RESUME -> resume(parameters);
            default -> throw new IllegalArgumentException(action + " is not an action");
        };
    }

    private WebEndpointResponse<ActionResponse> cancel(String topic, String id) {
        CancelOutcome outcome = operations.cancel(topic, id);
        return outcome.isCancelled()
                ? done(ActionResponse.done(outcome))
                : missing(RejectedRequestException.noMessage(topic, id));
    }

    private WebEndpointResponse<ActionResponse> reschedule(Operation action, Parameters parameters) {
        String topic = parameters.required("topic");
        String id = parameters.required("id");
        if (action == Operation.RUN) {
            return reschedule(topic, id, Duration.ZERO);
        }
        if (parameters.has("delay") == parameters.has("dueAt")) {
            throw RejectedRequestException.badRequest("The action 'reschedule' requires either delay or dueAt.");
        }
        return parameters.has("delay")
                ? reschedule(topic, id, parameters.duration("delay"))
                : moved(topic, id, operations.reschedule(topic, id, parameters.instant("dueAt")));
    }

    private WebEndpointResponse<ActionResponse> reschedule(String topic, String id, Duration delay) {
        return moved(topic, id, operations.reschedule(topic, id, delay));
    }

    private static WebEndpointResponse<ActionResponse> moved(String topic, String id, RescheduleOutcome outcome) {
        return switch (outcome) {
            case RESCHEDULED -> done(ActionResponse.done(outcome));
            case BEING_HANDLED ->
                conflict(
                        outcome,
                        "Message '" + Printable.of(id) + "' of topic '" + Printable.of(topic)
                                + "' is being handled and was not changed.");
            case NOT_FOUND -> missing(RejectedRequestException.noMessage(topic, id));
        };
    }

    private WebEndpointResponse<ActionResponse> replay(String topic, String deadLetter) {
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
            case NOT_FOUND -> missing(RejectedRequestException.noDeadLetter(topic, deadLetter));
        };
    }

    private WebEndpointResponse<ActionResponse> purge(String topic, String deadLetter) {
        return admin.purge(topic, deadLetter)
                ? done(ActionResponse.done("purged"))
                : missing(RejectedRequestException.noDeadLetter(topic, deadLetter));
    }

    private WebEndpointResponse<ActionResponse> review(String topic) {
        admin.markReviewed(topic);
        return done(ActionResponse.done("reviewed"));
    }

    private WebEndpointResponse<ActionResponse> startJob(Parameters parameters, String by) {
        JobRequest request = request(parameters).by(by);
        if (parameters.flag("preview", false)) {
            return done(ActionResponse.previewed(jobs.preview(request)));
        }
        try {
            return done(ActionResponse.started(jobs.start(request)));
        } catch (IllegalStateException e) {
            return rejected(CONFLICT, "too_many_jobs", String.valueOf(e.getMessage()));
        }
    }

    private static JobRequest request(Parameters parameters) {
        String name = parameters.required("action");
        JobAction action = Stream.of(JobAction.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> parameters.wrong(
                        "action",
                        "one of "
                                + Stream.of(JobAction.values())
                                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                                        .collect(Collectors.joining(", "))));
        return new JobRequest(
                action,
                parameters.required("topic"),
                new DeadLetterFilter(
                        parameters.text("cause"),
                        parameters.text("exceptionType"),
                        parameters.text("shape"),
                        instant(parameters, "from"),
                        instant(parameters, "until")),
                parameters.has("delay") ? parameters.duration("delay") : Duration.ZERO,
                parameters.number("perSecond", 0, JobRequest.MAX_PER_SECOND),
                parameters.text("target"),
                instant(parameters, "startAt"),
                "");
    }

    private static @Nullable Instant instant(Parameters parameters, String name) {
        return parameters.has(name) ? parameters.instant(name) : null;
    }

    private WebEndpointResponse<ActionResponse> stopJob(String id) {
        return jobs.stop(id)
                .map(job -> done(ActionResponse.done(job.state())))
                .orElseGet(() -> missing(RejectedRequestException.notFound(
                        "There is no job '" + id + "'. A job is removed a day after its end.")));
    }

    private WebEndpointResponse<ActionResponse> deleteTopic(String topic) {
        try {
            return admin.deleteTopic(topic)
                    ? done(ActionResponse.done("deleted"))
                    : missing(RejectedRequestException.noTopic(topic));
        } catch (IllegalStateException e) {
            return rejected(CONFLICT, "not_empty", String.valueOf(e.getMessage()));
        }
    }

    private WebEndpointResponse<ActionResponse> limit(Parameters parameters) {
        String topic = parameters.required("topic");
        TopicLimits limits = limits(parameters);
        if (limits.isNone() != parameters.flag("none", false)) {
            throw RejectedRequestException.badRequest(
                    "The action 'limit' requires at least one of maxConcurrent, maxConcurrentPerKey, rate and"
                            + " maxMessages, or none=true.");
        }
        try {
            admin.limit(topic, limits);
        } catch (UnusableLimitsException e) {
            String code = e.shards() > 1 ? "several_shards" : "not_fair";
            return rejected(CONFLICT, code, String.valueOf(e.getMessage()));
        }
        return done(ActionResponse.done("limited"));
    }

    private static TopicLimits limits(Parameters parameters) {
        try {
            return TopicLimits.of(
                    parameters.integer("maxConcurrent"),
                    parameters.integer("maxConcurrentPerKey"),
                    parameters.text("rate"),
                    parameters.integer("rateBurst"),
                    parameters.longInteger("maxMessages"));
        } catch (InvalidOptionException e) {
            throw RejectedRequestException.badRequest("The parameter '" + e.option() + "' " + e.problem() + ".");
        }
    }

    private WebEndpointResponse<ActionResponse> clearLimits(Parameters parameters) {
        String topic = parameters.required("topic");
        if (parameters.flag("declared", false)) {
            admin.clearDeclaredLimits(topic);
        } else {
            admin.clearLimits(topic);
        }
        return done(ActionResponse.done("cleared"));
    }

    private WebEndpointResponse<ActionResponse> liftHold(String topic) {
        return admin.liftHold(topic)
                ? done(ActionResponse.done("lifted"))
                : missing(RejectedRequestException.notFound("Topic '" + Printable.of(topic) + "' is not held."));
    }

    private WebEndpointResponse<ActionResponse> release(Parameters parameters) {
        if (parameters.has("client") == parameters.has("node")) {
            throw RejectedRequestException.badRequest("The action 'release' requires either client or node.");
        }
        try {
            admin.releaseLeases(parameters.text("client"), parameters.text("node"), parameters.text("topic"));
            return done(ActionResponse.done("requested"));
        } catch (NoSuchElementException e) {
            return missing(RejectedRequestException.notFound(String.valueOf(e.getMessage())));
        }
    }

    private WebEndpointResponse<ActionResponse> schedule(Operation action, Parameters parameters) {
        String topic = parameters.required("topic");
        String id = parameters.required("id");
        try {
            return schedules != null && changes(schedules, action, topic, id)
                    ? done(ActionResponse.done(outcome(action)))
                    : missing(RejectedRequestException.noSchedule(topic, id));
        } catch (MessageRejectedException e) {
            return rejected(
                    e.reason().isTransient() && e.reason() != Reason.FULL
                            ? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE
                            : CONFLICT,
                    "rejected",
                    String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            return rejected(CONFLICT, "unreadable", String.valueOf(e.getMessage()));
        }
    }

    /** Performs an action on a schedule, and returns whether it exists. */
    private static boolean changes(DelayQueueSchedules schedules, Operation action, String topic, String id) {
        return switch (action) {
            case RUN_SCHEDULE -> schedules.run(topic, id).isPresent();
            case PAUSE_SCHEDULE -> schedules.pause(topic, id);
            case RESUME_SCHEDULE -> schedules.resume(topic, id);
            default -> schedules.remove(topic, id);
        };
    }

    private static String outcome(Operation action) {
        return switch (action) {
            case RUN_SCHEDULE -> "sent";
            case PAUSE_SCHEDULE -> "paused";
            case RESUME_SCHEDULE -> "resumed";
            default -> "removed";
        };
    }

    private WebEndpointResponse<ActionResponse> pause(Parameters parameters, String by) {
        try {
            admin.pause(parameters.required("topic"), parameters.text("listener"), parameters.text("node"), by);
            return done(ActionResponse.done("paused"));
        } catch (NoSuchElementException e) {
            return missing(RejectedRequestException.notFound(String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            return rejected(CONFLICT, "too_many_pauses", String.valueOf(e.getMessage()));
        }
    }

    private WebEndpointResponse<ActionResponse> resume(Parameters parameters) {
        String topic = parameters.required("topic");
        String listener = parameters.text("listener");
        String node = parameters.text("node");
        if (admin.resume(topic, listener, node)) {
            return done(ActionResponse.done("resumed"));
        }
        String what = listener == null ? "all listeners" : "listener '" + Printable.of(listener) + "'";
        String where = node == null ? "all nodes" : "node '" + Printable.of(node) + "'";
        return missing(RejectedRequestException.notFound("There is no pause of " + what + " of topic '"
                + Printable.of(topic) + "' on " + where
                + ". The topic lists its pauses. A listener that its application"
                + " paused is resumed by the application."));
    }

    private static WebEndpointResponse<ActionResponse> missing(RejectedRequestException rejection) {
        return rejected(rejection.status(), "not_found", String.valueOf(rejection.getMessage()));
    }

    private static WebEndpointResponse<ActionResponse> done(ActionResponse response) {
        return new WebEndpointResponse<>(response);
    }

    private static WebEndpointResponse<ActionResponse> rejected(int status, String outcome, String sentence) {
        return new WebEndpointResponse<>(ActionResponse.failed(outcome, sentence), status);
    }

    private static WebEndpointResponse<ActionResponse> conflict(Enum<?> outcome, String sentence) {
        return new WebEndpointResponse<>(ActionResponse.failed(outcome, sentence), CONFLICT);
    }
}
