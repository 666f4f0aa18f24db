package io.delayqueue.web.compat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.ids.UniqueIds;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.OutcomeUnknownException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Does what clients ask for, but for popping: checks in the order that they know, and answers in their words. Never blocks;
 * futures end normally, with the answer's body, on a thread that must not be blocked. Thread-safe.
 */
public final class JobDesk {

    private static final Log log = LogFactory.getLog(JobDesk.class);

    private static final String ADDED = "添加成功";
    private static final byte[] NO_ID = Answer.failed("job id不能为空");
    private static final byte[] NO_TOPIC = Answer.failed("topic 不能为空");
    private static final byte[] NO_DELAY = Answer.failed("delay 取值范围1 - (2^31 - 1)");
    private static final byte[] NO_TTR = Answer.failed("ttr 取值范围1 - 86400");

    private static final long LONGEST_DELAY = 1L << 31;
    private static final long LONGEST_TTR = 86_400;

    private final DelayQueueOperations queue;
    private final UniqueIds ids;
    private final Executor executor;
    private final CompatSettings settings;

    /**
     * Over a queue.
     *
     * @param queue by which jobs are sent; takes delays of up to 2^31 seconds
     * @param ids knows the topics of jobs
     * @param executor where jobs are sent, since an interceptor may block
     */
    public JobDesk(DelayQueueOperations queue, UniqueIds ids, Executor executor, CompatSettings settings) {
        this.queue = queue;
        this.ids = ids;
        this.executor = executor;
        this.settings = settings;
    }

    CompletableFuture<byte[]> answer(Verb verb, JobRequest request) {
        return switch (verb) {
            case PUSH -> push(request);
            case FINISH, DELETE -> end(verb, request.id());
            case GET -> get(request.id());
            case POP -> throw new IllegalArgumentException("Popping is not done here");
        };
    }

    private CompletableFuture<byte[]> push(JobRequest request) {
        byte[] objection = objection(request);
        if (objection != null) {
            return CompletableFuture.completedFuture(objection);
        }
        return told(
                Verb.PUSH,
                () -> {
                    DelayMessage message = message(request);
                    return ids.push(request.topic(), request.id(), nonce -> send(message, nonce));
                },
                done -> Answer.done(ADDED));
    }

    private static byte @Nullable [] objection(JobRequest request) {
        if (request.id().isEmpty()) {
            return NO_ID;
        }
        if (request.topic().isEmpty()) {
            return NO_TOPIC;
        }
        if (request.delay() <= 0 || request.delay() > LONGEST_DELAY) {
            return NO_DELAY;
        }
        return request.ttr() <= 0 || request.ttr() > LONGEST_TTR ? NO_TTR : null;
    }

    private DelayMessage message(JobRequest request) {
        return DelayMessage.to(request.topic())
                .id(request.id())
                .payload(request.body())
                .delay(Duration.ofSeconds(request.delay()))
                .lease(Duration.ofSeconds(request.ttr()))
                .maxAttempts(settings.maxAttempts() == 0 ? Integer.MAX_VALUE : settings.maxAttempts())
                .onDuplicate(OnDuplicate.REPLACE)
                .build();
    }

    private CompletableFuture<Success> send(DelayMessage message, String nonce) {
        return CompletableFuture.completedFuture(
                        message.toBuilder().nonce(nonce).build())
                .thenComposeAsync(numbered -> queue.sendAsync(numbered), executor);
    }

    private CompletableFuture<byte[]> end(Verb verb, String id) {
        if (id.isEmpty()) {
            return CompletableFuture.completedFuture(NO_ID);
        }
        return told(verb, () -> ids.end(id), ended -> Answer.done(Answer.DONE));
    }

    private CompletableFuture<byte[]> get(String id) {
        if (id.isEmpty()) {
            return CompletableFuture.completedFuture(NO_ID);
        }
        return told(
                Verb.GET,
                () -> ids.find(id),
                found -> found.map(message -> Answer.found(message, settings.lease()))
                        .orElseGet(() -> Answer.done(Answer.DONE)));
    }

    /** Has a job that was popped found by its id, whoever sent it. Where that fails, its lease and its next pop do. */
    CompletableFuture<Void> met(String topic, String id) {
        try {
            return ids.met(topic, id).exceptionally(failure -> null);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** What begins to be done. */
    private interface Beginning<T> {
        CompletableFuture<T> begin();
    }

    private static <T> CompletableFuture<byte[]> told(Verb verb, Beginning<T> beginning, Function<T, byte[]> success) {
        CompletableFuture<T> doing;
        try {
            doing = beginning.begin();
        } catch (RuntimeException e) {
            doing = CompletableFuture.failedFuture(e);
        }
        return doing.thenApply(success).exceptionally(failure -> verb.failed(sentence(failure)));
    }

    /** Why something was not done, for the client. */
    static String sentence(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof OutcomeUnknownException) {
            return "Whether it was stored is not known, since Redis gave no answer. Push it again.";
        }
        if (!(cause instanceof DelayQueueException
                || cause instanceof RedisCallException
                || cause instanceof TopicConflictException
                || cause instanceof IllegalArgumentException)) {
            log.error("A request of a client of ouqiang/delay-queue failed", cause);
            return "The queue failed. Its log tells why.";
        }
        return String.valueOf(cause.getMessage());
    }
}
