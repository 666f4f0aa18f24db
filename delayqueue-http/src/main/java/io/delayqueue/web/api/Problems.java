package io.delayqueue.web.api;

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
import io.delayqueue.web.waiting.TooManyWaitingException;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Maps exceptions to problem responses. */
final class Problems {

    /**
     * Value of the header {@code Retry-After} in seconds. Most Redis outages, and most periods with too many waiting
     * clients, are shorter.
     */
    static final String RETRY_AFTER = "1";

    private static final Log log = LogFactory.getLog(Problems.class);

    private Problems() {}

    /**
     * Returns the response to a failed request.
     *
     * @param method HTTP method of the request
     */
    static Response<Problem> response(Throwable failure, String method) {
        Problem problem = problem(failure, method.equals("GET") || method.equals("HEAD"));
        Response<Problem> response = Response.of(problem.status(), problem);
        return isTemporary(failure, problem) ? response.header("Retry-After", RETRY_AFTER) : response;
    }

    /** A conflict about a topic lasts until an operator changes the configuration or another node responds. */
    private static boolean isTemporary(Throwable failure, Problem problem) {
        boolean conflict = failure instanceof TopicConflictException
                || failure instanceof TopicMismatchException
                || (failure instanceof MessageRejectedException rejected && rejected.reason() == Reason.TOPIC_CONFLICT);
        return !conflict
                && (problem.status() == ProblemType.UNAVAILABLE.status()
                        || problem.status() == ProblemType.OUTCOME_UNKNOWN.status()
                        || problem.status() == ProblemType.TOO_MANY_WAITING.status());
    }

    private static Problem problem(Throwable failure, boolean reading) {
        if (failure instanceof ProblemException e) {
            return e.problem();
        }
        if (failure instanceof InvalidRequestException) {
            return ProblemType.INVALID_REQUEST.problem(sentence(failure));
        }
        if (failure instanceof TooManyWaitingException) {
            return ProblemType.TOO_MANY_WAITING.problem(sentence(failure));
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
        log.error("A request to the HTTP API of the delay queue failed", failure);
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
            ProblemType type = typeOf(rejected);
            if (type == ProblemType.FAILED) {
                log.error("A message of the HTTP API of the delay queue could not be sent", failure);
            }
            return type.problem("Message '" + rejected.id() + "' was not stored: " + rejected.detail()
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
        log.error("A request to the HTTP API of the delay queue failed", failure);
        return ProblemType.FAILED.problem(sentence(failure));
    }

    private static ProblemType typeOf(MessageRejectedException rejected) {
        return switch (rejected.reason()) {
            case INVALID, INTERCEPTED -> ProblemType.INVALID_REQUEST;
            case FAILED, UNREADABLE_REPLY -> ProblemType.FAILED;
            case TOPIC_CONFLICT, NOT_SENT, MEMORY_FULL, REDIS_ERROR, NO_REPLY, NOT_CONFIRMED -> ProblemType.UNAVAILABLE;
        };
    }

    private static String sentence(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }
}
