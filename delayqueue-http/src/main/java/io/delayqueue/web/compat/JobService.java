package io.delayqueue.web.compat;

import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.management.guard.Client;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TooManyTopicsException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.web.compat.ids.UniqueIds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Executes all requests except pops. Validates fields in the order of the original and responds with its messages.
 * Never blocks. Futures complete with the response body, on a thread that must not be blocked. Thread-safe.
 */
public final class JobService {

    private static final Log log = LogFactory.getLog(JobService.class);

    private static final String ADDED = "添加成功";
    private static final byte[] NO_ID = ResponseBody.failed("job id不能为空");
    private static final byte[] NO_TOPIC = ResponseBody.failed("topic 不能为空");
    private static final byte[] NO_DELAY = ResponseBody.failed("delay 取值范围1 - (2^31 - 1)");
    private static final byte[] NO_TTR = ResponseBody.failed("ttr 取值范围1 - 86400");

    private static final long MAX_DELAY = 1L << 31;
    private static final long MAX_TTR = 86_400;

    private final DelayQueueOperations queue;
    private final TopicRegistry topics;
    private final UniqueIds ids;
    private final Supplier<Executor> executors;
    private final CompatSettings settings;

    /**
     * Creates a service.
     *
     * @param queue sends jobs; accepts delays of up to 2^31 seconds
     * @param topics creates and counts topics
     * @param ids finds the topics of jobs
     * @param executors called by the thread of a request; provides the executor that sends the job, since an
     *     interceptor may block
     */
    public JobService(
            DelayQueueOperations queue,
            TopicRegistry topics,
            UniqueIds ids,
            Supplier<Executor> executors,
            CompatSettings settings) {
        this.queue = queue;
        this.topics = topics;
        this.ids = ids;
        this.executors = executors;
        this.settings = settings;
    }

    /**
     * Executes a request.
     *
     * @return the response body; fails with an {@link AccessDeniedException} if the job is in a topic to which the client
     *     has no access
     * @throws AccessDeniedException if the request names such a topic
     */
    CompletableFuture<byte[]> execute(Verb verb, CompatRequest request, Client client) {
        UniqueIds permitted = client.isLimitedToTopics() ? ids.within(client::permits) : ids;
        return switch (verb) {
            case PUSH -> push(request, client, permitted);
            case FINISH -> end(verb, request.id(), client, permitted, permitted::finish);
            case DELETE -> end(verb, request.id(), client, permitted, permitted::cancel);
            case GET -> get(request.id(), client, permitted);
            case POP -> throw new IllegalArgumentException("JobPolls handles pops");
        };
    }

    private CompletableFuture<byte[]> push(CompatRequest request, Client client, UniqueIds permitted) {
        byte[] error = validate(request);
        if (error != null) {
            return CompletableFuture.completedFuture(error);
        }
        client.requireTopic(request.topic());
        Executor executor = executors.get();
        return respond(
                Verb.PUSH,
                () -> {
                    DelayMessage message = message(request);
                    return permitted
                            .push(
                                    request.topic(),
                                    request.id(),
                                    () -> topics.registerWithin(request.topic(), settings.maxTopics()),
                                    version -> send(message, version, executor))
                            .thenAccept(elsewhere -> elsewhere.ifPresent(client::requireTopicOfMessage));
                },
                done -> ResponseBody.done(ADDED));
    }

    /** Fails if the id is live in a topic to which the client has no access. */
    private static CompletableFuture<Void> requireAccess(String id, Client client, UniqueIds permitted) {
        return client.isLimitedToTopics()
                ? permitted.findElsewhere(id).thenAccept(topic -> topic.ifPresent(client::requireTopicOfMessage))
                : CompletableFuture.completedFuture(null);
    }

    private static byte @Nullable [] validate(CompatRequest request) {
        if (request.id().isEmpty()) {
            return NO_ID;
        }
        if (request.topic().isEmpty()) {
            return NO_TOPIC;
        }
        if (request.delay() <= 0 || request.delay() > MAX_DELAY) {
            return NO_DELAY;
        }
        return request.ttr() <= 0 || request.ttr() > MAX_TTR ? NO_TTR : null;
    }

    private DelayMessage message(CompatRequest request) {
        return DelayMessage.to(request.topic())
                .id(request.id())
                .payload(request.body())
                .delay(Duration.ofSeconds(request.delay()))
                .lease(Duration.ofSeconds(request.ttr()))
                .maxAttempts(settings.maxAttempts() == 0 ? Integer.MAX_VALUE : settings.maxAttempts())
                .onDuplicate(OnDuplicate.REPLACE)
                .build();
    }

    private CompletableFuture<Success> send(DelayMessage message, long version, Executor executor) {
        return CompletableFuture.completedFuture(
                        message.toBuilder().version(version).build())
                .thenComposeAsync(versioned -> queue.sendAsync(versioned), executor);
    }

    private static CompletableFuture<byte[]> end(
            Verb verb,
            String id,
            Client client,
            UniqueIds permitted,
            Function<String, CompletableFuture<Boolean>> end) {
        if (id.isEmpty()) {
            return CompletableFuture.completedFuture(NO_ID);
        }
        return respond(
                verb,
                () -> end.apply(id)
                        .thenCompose(ended -> ended
                                ? CompletableFuture.<Void>completedFuture(null)
                                : requireAccess(id, client, permitted)),
                ended -> ResponseBody.done(ResponseBody.DONE));
    }

    private CompletableFuture<byte[]> get(String id, Client client, UniqueIds permitted) {
        if (id.isEmpty()) {
            return CompletableFuture.completedFuture(NO_ID);
        }
        return respond(Verb.GET, () -> permitted.find(id), found -> {
            found.ifPresent(message -> client.requireTopicOfMessage(message.topic()));
            return found.map(message -> ResponseBody.found(message, settings.lease()))
                    .orElseGet(() -> ResponseBody.done(ResponseBody.DONE));
        });
    }

    /** Adds a popped job to the index, so that it is found by its id. A failure is ignored: the next pop retries. */
    CompletableFuture<Void> index(String topic, String id) {
        try {
            return ids.add(topic, id).exceptionally(failure -> null);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private static <T> CompletableFuture<byte[]> respond(
            Verb verb, Supplier<CompletableFuture<T>> call, Function<T, byte[]> success) {
        CompletableFuture<T> result;
        try {
            result = call.get();
        } catch (RuntimeException e) {
            result = CompletableFuture.failedFuture(e);
        }
        return result.thenApply(success).exceptionally(failure -> {
            if (Completions.cause(failure) instanceof AccessDeniedException denied) {
                throw denied;
            }
            return verb.failed(sentence(failure));
        });
    }

    /** Returns the error message for the client. */
    static String sentence(Throwable failure) {
        Throwable cause = Completions.cause(failure);
        if (cause instanceof OutcomeUnknownException unknown) {
            return unknown.reason() == Reason.NOT_CONFIRMED
                    ? "The job is stored, but a failover of Redis may lose it. Push it again."
                    : "It is unknown whether the job was stored, because Redis did not reply. Push it again.";
        }
        if (!(cause instanceof DelayQueueException
                || cause instanceof RedisCallException
                || cause instanceof TopicConflictException
                || cause instanceof TooManyTopicsException
                || cause instanceof IllegalArgumentException)) {
            log.error("A request to the HTTP interface of ouqiang/delay-queue failed", cause);
            return "The request failed. The server's log has the cause.";
        }
        return String.valueOf(cause.getMessage());
    }
}
