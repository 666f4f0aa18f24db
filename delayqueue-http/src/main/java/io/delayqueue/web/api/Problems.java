package io.delayqueue.web.api;

import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.TooManyTopicsException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.idempotency.KeyReusedException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.template.TopicMismatchException;
import io.delayqueue.web.api.json.InvalidRequestException;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.waiting.SlowBodyException;
import io.delayqueue.web.waiting.TooManyWaitingException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Maps exceptions to problem responses. */
final class Problems {

    /**
     * Value of the header {@code Retry-After} in seconds. Most Redis outages, and most periods with too many waiting
     * clients, are shorter.
     */
    static final String RETRY_AFTER = "1";

    private static final Log log = LogFactory.getLog(Problems.class);

    private Problems() {}

    /** Returns the response to a failed request. */
    static Response<Problem> response(Throwable failure, HttpServletRequest request) {
        boolean reading =
                request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        Problem problem = logged(failure, reading, RequestId.of(request));
        Response<Problem> response = Response.of(problem.status(), problem);
        return isTemporary(failure) ? response.header("Retry-After", RETRY_AFTER) : response;
    }

    /** Returns the problem of a failure, and logs the failure if the server has caused it. */
    static Problem logged(Throwable failure, boolean reading, String requestId) {
        Problem problem = problem(failure, reading);
        if (problem.status() == ProblemType.FAILED.status()) {
            log.error("Request " + requestId + " to the HTTP API of the delay queue failed", failure);
        }
        return problem;
    }

    /** Returns why a request was rejected before it was executed; null if the problem has another reason. */
    static @Nullable RejectionReason rejection(Problem problem) {
        for (RejectionReason reason : RejectionReason.values()) {
            if (ProblemType.valueOf(reason.name()).uri().equals(problem.type())) {
                return reason;
            }
        }
        return null;
    }

    /**
     * Whether the request may succeed if it is repeated soon. A conflict about a topic lasts until an operator changes the
     * configuration or another node responds.
     */
    static boolean isTemporary(Throwable failure) {
        int status = problem(failure, false).status();
        boolean conflict = failure instanceof TopicConflictException
                || failure instanceof TopicMismatchException
                || (failure instanceof MessageRejectedException rejected && rejected.reason() == Reason.TOPIC_CONFLICT);
        return !conflict
                && (status == ProblemType.UNAVAILABLE.status()
                        || status == ProblemType.OUTCOME_UNKNOWN.status()
                        || status == ProblemType.TOO_MANY_WAITING.status());
    }

    /**
     * Returns the problem of a failure.
     *
     * @param reading whether the request changes nothing
     */
    static Problem problem(Throwable failure, boolean reading) {
        if (failure instanceof ProblemException e) {
            return e.problem();
        }
        if (failure instanceof InvalidRequestException) {
            return ProblemType.INVALID_REQUEST.problem(sentence(failure));
        }
        if (failure instanceof AccessDeniedException denied) {
            return ProblemType.valueOf(RejectionReason.of(denied.rejection()).name())
                    .problem(sentence(failure));
        }
        if (failure instanceof TooManyWaitingException) {
            return ProblemType.TOO_MANY_WAITING.problem(sentence(failure));
        }
        if (failure instanceof SlowBodyException) {
            return ProblemType.SLOW_BODY.problem(sentence(failure));
        }
        if (failure instanceof IllegalArgumentException) {
            return ProblemType.INVALID_REQUEST.problem(sentence(failure) + ".");
        }
        if (failure instanceof KeyReusedException) {
            return ProblemType.KEY_REUSED.problem(
                    sentence(failure) + ". Nothing was sent. Use a different key for each request.");
        }
        if (failure instanceof TooManyTopicsException) {
            return ProblemType.FORBIDDEN.problem(sentence(failure) + ".");
        }
        if (failure instanceof RedisCallException call && call.kind() == Kind.NOT_CONFIRMED) {
            return ProblemType.OUTCOME_UNKNOWN.problem(
                    "The call took effect on the master of Redis, but a failover may undo it: " + sentence(call) + ".");
        }
        if (failure instanceof RedisCallException || failure instanceof TopicConflictException) {
            return ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        if (failure instanceof DelayQueueException e) {
            return ofQueue(e, reading);
        }
        return ProblemType.FAILED.problem("The request failed. The server's log has the cause.");
    }

    private static Problem ofQueue(DelayQueueException failure, boolean reading) {
        if (failure instanceof DuplicateMessageException duplicate) {
            return ProblemType.DUPLICATE
                    .problem("Message '" + duplicate.id()
                            + "' was not stored: a message with this id is scheduled or being handled"
                            + " in topic '" + duplicate.topic() + "'. Set \"onDuplicate\" to \"keep\" or"
                            + " \"replace\" if that is expected.")
                    .about(duplicate.topic(), duplicate.id());
        }
        if (failure instanceof OutcomeUnknownException unknown) {
            String topic = unknown.delayMessage().topic();
            String id = Objects.requireNonNullElse(unknown.delayMessage().id(), "");
            return ProblemType.OUTCOME_UNKNOWN
                    .problem((unknown.reason() == Reason.NOT_CONFIRMED
                                    ? "Message '" + id + "' is stored on the master of Redis, but the confirmation of"
                                            + " its durability is missing: a failover may lose it."
                                    : "It is unknown whether message '" + id
                                            + "' was stored, because Redis did not reply.")
                            + " Repeating the request is safe with the same Idempotency-Key. Without a key, find the message by its"
                            + " id first.")
                    .about(topic, id);
        }
        if (failure instanceof MessageRejectedException rejected) {
            return typeOf(rejected)
                    .problem("Message '" + rejected.id() + "' was not stored: " + rejected.detail()
                            + (rejected.detail().endsWith(".") ? "" : "."))
                    .about(rejected.topic(), rejected.id());
        }
        if (failure instanceof DelayQueueUnavailableException unavailable) {
            return !reading && unavailable.isOutcomeUnknown()
                    ? ProblemType.OUTCOME_UNKNOWN.problem(
                            "The outcome is unknown. Repeating the request is safe. " + sentence(failure))
                    : ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        if (failure instanceof TopicMismatchException) {
            return ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        return ProblemType.FAILED.problem(sentence(failure));
    }

    private static ProblemType typeOf(MessageRejectedException rejected) {
        return switch (rejected.reason()) {
            case INVALID, INTERCEPTED -> ProblemType.INVALID_REQUEST;
            case FAILED, UNREADABLE_REPLY -> ProblemType.FAILED;
            case FULL -> ProblemType.TOPIC_FULL;
            case TOPIC_CONFLICT, NOT_SENT, MEMORY_FULL, REDIS_ERROR, NO_REPLY, NOT_CONFIRMED -> ProblemType.UNAVAILABLE;
        };
    }

    private static String sentence(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }
}
