package io.delayqueue.web.api;

import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.idempotency.KeyReusedException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRefusedException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.web.api.answer.Problem;
import io.delayqueue.web.api.json.InvalidBodyException;
import io.delayqueue.web.guard.AccessRefusedException;
import io.delayqueue.web.guard.Refusal;
import io.delayqueue.web.waiting.TooManyWaitingException;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** What failures are told as. */
final class Problems {

    /** In seconds: by then Redis is back, or another client has gone, or it takes longer. */
    static final String RETRY_AFTER = "1";

    private static final Log log = LogFactory.getLog(Problems.class);

    private Problems() {}

    /**
     * The answer to a request that failed.
     *
     * @param method the request's
     */
    static Answer<Problem> answer(Throwable failure, String method) {
        Problem problem = problem(failure, method.equals("GET") || method.equals("HEAD"));
        Answer<Problem> answer = Answer.of(problem.status(), problem);
        return isPassing(problem) ? answer.header("Retry-After", RETRY_AFTER) : answer;
    }

    private static boolean isPassing(Problem problem) {
        return problem.status() == ProblemType.UNAVAILABLE.status()
                || problem.status() == ProblemType.OUTCOME_UNKNOWN.status()
                || problem.status() == ProblemType.TOO_MANY_WAITING.status();
    }

    private static Problem problem(Throwable failure, boolean reading) {
        if (failure instanceof ProblemException e) {
            return e.problem();
        }
        if (failure instanceof InvalidBodyException) {
            return ProblemType.INVALID_REQUEST.problem(sentence(failure));
        }
        if (failure instanceof TooManyWaitingException) {
            return ProblemType.TOO_MANY_WAITING.problem(sentence(failure));
        }
        if (failure instanceof AccessRefusedException refused) {
            Refusal refusal = refused.refusal();
            return (refusal.status() == 401 ? ProblemType.UNAUTHORIZED : ProblemType.FORBIDDEN)
                    .problem(refusal.sentence());
        }
        if (failure instanceof IllegalArgumentException) {
            return ProblemType.INVALID_REQUEST.problem(sentence(failure) + ".");
        }
        if (failure instanceof KeyReusedException) {
            return ProblemType.KEY_REUSED.problem(
                    sentence(failure) + ". Nothing was sent: use a key of its own for each request.");
        }
        if (failure instanceof RedisCallException) {
            return ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        if (failure instanceof DelayQueueException e) {
            return ofQueue(e, reading);
        }
        log.error("A request to the HTTP interface of the delay queue failed", failure);
        return ProblemType.FAILED.problem("The server failed at this request; its log says why.");
    }

    private static Problem ofQueue(DelayQueueException failure, boolean reading) {
        if (failure instanceof DuplicateMessageException duplicate) {
            return ProblemType.DUPLICATE
                    .problem("Message '" + duplicate.id()
                            + "' was not stored: one of that id is scheduled or being handled"
                            + " in topic '" + duplicate.topic() + "'. Give \"onDuplicate\": \"keep\" or"
                            + " \"replace\" if that is expected.")
                    .about(duplicate.topic(), duplicate.id());
        }
        if (failure instanceof OutcomeUnknownException unknown) {
            String topic = unknown.delayMessage().topic();
            String id = Objects.requireNonNullElse(unknown.delayMessage().id(), "");
            return ProblemType.OUTCOME_UNKNOWN
                    .problem("Whether message '" + id + "' was stored is not known: Redis did not answer. To repeat the"
                            + " request is safe with the Idempotency-Key that it was sent with; without one, look for"
                            + " the message first.")
                    .about(topic, id);
        }
        if (failure instanceof MessageRefusedException refused) {
            ProblemType type = typeOf(refused);
            if (type == ProblemType.FAILED) {
                log.error("A message of the HTTP interface of the delay queue could not be sent", failure);
            }
            return type.problem("Message '" + refused.id() + "' was not stored: " + refused.reason()
                            + (refused.reason().endsWith(".") ? "" : "."))
                    .about(refused.topic(), refused.id());
        }
        if (failure instanceof DelayQueueUnavailableException) {
            return !reading && failure.getCause() instanceof RedisCallException call && call.mayHaveWritten()
                    ? ProblemType.OUTCOME_UNKNOWN.problem(
                            "Nobody knows whether it is done. To repeat the request does no harm. " + sentence(failure))
                    : ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        if (failure.getCause() instanceof TopicConflictException) {
            return ProblemType.UNAVAILABLE.problem(sentence(failure));
        }
        log.error("A request to the HTTP interface of the delay queue failed", failure);
        return ProblemType.FAILED.problem(sentence(failure));
    }

    private static ProblemType typeOf(MessageRefusedException refused) {
        if (refused.getCause() instanceof RedisCallException || refused.getCause() instanceof TopicConflictException) {
            return ProblemType.UNAVAILABLE;
        }
        return refused.getCause() == null ? ProblemType.INVALID_REQUEST : ProblemType.FAILED;
    }

    private static String sentence(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }
}
