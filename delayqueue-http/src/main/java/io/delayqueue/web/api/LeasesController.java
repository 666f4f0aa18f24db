package io.delayqueue.web.api;

import io.delayqueue.message.Completions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.web.api.request.DeadLetterRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.ExtendRequest;
import io.delayqueue.web.api.request.PostponeRequest;
import io.delayqueue.web.api.request.RetryRequest;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Settles received messages by the token of their lease. A late settlement is rejected and changes nothing.
 * Thread-safe. Holds no thread while waiting for Redis.
 */
@Controller
@RequestMapping(ApiController.TOPIC + "/messages/{id}/leases/{token}")
public class LeasesController extends ApiController {

    private final Leases leases;
    private final Duration timeout;

    /**
     * Creates a controller.
     *
     * @param leases settles leased messages
     * @param timeout maximum time for which a client waits for Redis
     */
    public LeasesController(Leases leases, Duration timeout) {
        this.leases = leases;
        this.timeout = timeout;
    }

    /** Acknowledges the message: its handling has succeeded, and it is deleted. */
    @PostMapping("/acknowledge")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> acknowledge(Call call, EmptyRequest request) {
        return respond(call, leases.acknowledge(topic(call), call.id(), call.token()));
    }

    /** Delivers the message again, or dead-letters it if this was its last permitted attempt. */
    @PostMapping("/retry")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> retry(Call call, RetryRequest request) {
        Duration delay = Objects.requireNonNullElse(request.delay(), Duration.ZERO);
        String reason = Objects.requireNonNullElse(request.reason(), "requested by the receiver");
        return respond(call, leases.retry(topic(call), call.id(), call.token(), delay, reason));
    }

    /**
     * Delivers the message again after a delay, without counting the attempt; dead-letters it if it was postponed as often
     * as permitted.
     */
    @PostMapping("/postpone")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> postpone(Call call, PostponeRequest request) {
        return respond(call, leases.postpone(topic(call), call.id(), call.token(), request.delay()));
    }

    /** Dead-letters the message. */
    @PostMapping("/dead-letter")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> deadLetter(Call call, DeadLetterRequest request) {
        String reason = Objects.requireNonNullElse(request.reason(), "dead-lettered by the receiver");
        return respond(call, leases.deadLetter(topic(call), call.id(), call.token(), reason));
    }

    /** Extends the lease to a given time from now. */
    @PostMapping("/extend")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> extend(Call call, ExtendRequest request) {
        return respond(call, leases.extend(topic(call), call.id(), call.token(), request.lease()));
    }

    /**
     * Releases the message as if it had not been received: its due time is unchanged, and the attempt does not count.
     */
    @PostMapping("/release")
    @Requires(Permission.CONSUME)
    public DeferredResult<Response<Void>> release(Call call, EmptyRequest request) {
        return respond(call, leases.release(topic(call), call.id(), call.token()));
    }

    private static String topic(Call call) {
        DelayMessage.checkId(call.id());
        return DelayMessage.checkTopic(call.topic());
    }

    private DeferredResult<Response<Void>> respond(Call call, CompletableFuture<Boolean> settling) {
        DeferredResult<Response<Void>> result = new DeferredResult<>(timeout.toMillis());
        result.onTimeout(() -> result.setErrorResult(ProblemType.OUTCOME_UNKNOWN.exception(
                "Redis did not reply in time, and the command is retried in the background. Repeating the request is"
                        + " safe. If the repetition fails with status 410, this request may have succeeded.")));
        // do not keep the ended request in memory while the settlement is retried, which can take as long as an outage
        result.onCompletion(() -> settling.cancel(false));
        CompletableFuture<?> ignored =
                settling.whenComplete((accepted, failure) -> complete(call, result, accepted, failure));
        return result;
    }

    private static void complete(
            Call call, DeferredResult<Response<Void>> result, @Nullable Boolean accepted, @Nullable Throwable failure) {
        if (accepted == null) {
            result.setErrorResult(
                    failure == null
                            ? new IllegalStateException("The settlement ended without a result")
                            : Completions.cause(failure));
        } else if (accepted) {
            result.setResult(Response.empty(204));
        } else {
            result.setErrorResult(new ProblemException(ProblemType.LEASE_LOST
                    .problem("Message '" + call.id() + "' of topic '" + call.topic()
                            + "' is no longer leased under this token: it was settled, cancelled or replaced, or its"
                            + " lease ended. Nothing changed.")
                    .about(call.topic(), call.id())));
        }
    }
}
