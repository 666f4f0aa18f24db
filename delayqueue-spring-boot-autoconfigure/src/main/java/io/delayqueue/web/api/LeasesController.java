package io.delayqueue.web.api;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.pull.Leases;
import io.delayqueue.web.api.request.BuryRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.ExtendRequest;
import io.delayqueue.web.api.request.RetryRequest;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Answers to what was received, under the token of its lease. One that comes late is told so, and changes nothing.
 * Thread-safe; holds no thread while Redis is asked.
 */
@Controller
@RequestMapping(ApiController.TOPIC + "/messages/{id}/leases/{token}")
public class LeasesController extends ApiController {

    private final Leases leases;
    private final Duration patience;

    /**
     * Over what settles.
     *
     * @param patience how long a client waits for Redis
     */
    public LeasesController(Leases leases, Duration patience) {
        this.leases = leases;
        this.patience = patience;
    }

    /** The message is done and goes. */
    @PostMapping("/acknowledge")
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<Void>> acknowledge(Call call, EmptyRequest request) {
        return told(call, leases.acknowledge(topic(call), call.id(), call.token()));
    }

    /** Deliver it again; when this was the last permitted attempt, it goes to the dead letters. */
    @PostMapping("/retry")
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<Void>> retry(Call call, RetryRequest request) {
        Duration delay = Objects.requireNonNullElse(request.delay(), Duration.ZERO);
        String reason = Objects.requireNonNullElse(request.reason(), "asked for by the receiver");
        return told(call, leases.retry(topic(call), call.id(), call.token(), delay, reason));
    }

    /** Send it to the dead letters. */
    @PostMapping("/bury")
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<Void>> bury(Call call, BuryRequest request) {
        String reason = Objects.requireNonNullElse(request.reason(), "buried by the receiver");
        return told(call, leases.bury(topic(call), call.id(), call.token(), reason));
    }

    /** Let the lease hold for a time from now on. */
    @PostMapping("/extend")
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<Void>> extend(Call call, ExtendRequest request) {
        return told(call, leases.extend(topic(call), call.id(), call.token(), request.lease()));
    }

    /** Hand it back as if it had not been received: it is due as before, and the attempt doesn't count. */
    @PostMapping("/release")
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<Void>> release(Call call, EmptyRequest request) {
        return told(call, leases.release(topic(call), call.id(), call.token()));
    }

    private static String topic(Call call) {
        DelayMessage.checkId(call.id());
        return DelayMessage.checkTopic(call.topic());
    }

    private DeferredResult<Answer<Void>> told(Call call, CompletableFuture<Boolean> settling) {
        DeferredResult<Answer<Void>> result = new DeferredResult<>(patience.toMillis());
        result.onTimeout(() -> result.setErrorResult(ProblemType.OUTCOME_UNKNOWN.exception(
                "Redis did not answer in time, and is asked on. To repeat the request is safe; if it is answered 410 then,"
                        + " this one may have been carried out.")));
        // what is asked on doesn't keep the request: in an outage each client repeats its own
        result.onCompletion(() -> settling.cancel(false));
        CompletableFuture<?> ignored =
                settling.whenComplete((accepted, failure) -> tell(call, result, accepted, failure));
        return result;
    }

    private static void tell(
            Call call, DeferredResult<Answer<Void>> result, @Nullable Boolean accepted, @Nullable Throwable failure) {
        if (accepted == null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            result.setErrorResult(Objects.requireNonNullElse(cause, new IllegalStateException("No answer")));
        } else if (accepted) {
            result.setResult(Answer.empty(204));
        } else {
            result.setErrorResult(new ProblemException(ProblemType.LEASE_GONE
                    .problem("Message '" + call.id() + "' of topic '" + call.topic()
                            + "' is not live under this lease, no more: it was answered, taken back when the lease was over,"
                            + " cancelled or replaced. Nothing changed.")
                    .about(call.topic(), call.id())));
        }
    }
}
