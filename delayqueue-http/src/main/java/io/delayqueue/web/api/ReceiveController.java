package io.delayqueue.web.api;

import io.delayqueue.management.guard.Permission;
import io.delayqueue.message.DurationText;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.api.request.ReceiveRequest;
import io.delayqueue.web.api.request.SettleRequest;
import io.delayqueue.web.api.response.ReceiveResponse;
import io.delayqueue.web.api.response.SettleResponse;
import io.delayqueue.web.guard.Requires;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.LongPolls.LongPoll;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

/** Receives messages. Thread-safe. A waiting request holds no thread and no connection to Redis. */
@Controller
public class ReceiveController extends ApiController {

    private final DelayQueueReceiver receiver;
    private final MessageSettling settling;
    private final LongPolls polls;
    private final ApiSettings settings;

    /** Creates a controller. */
    public ReceiveController(
            DelayQueueReceiver receiver, MessageSettling settling, LongPolls polls, ApiSettings settings) {
        this.receiver = receiver;
        this.settling = settling;
        this.polls = polls;
        this.settings = settings;
    }

    /**
     * Receives due messages of the first topic that has some, each under a lease. If none is due, waits for one. Returns
     * an empty list if none becomes due in time. Settles messages that were received before, if the request contains
     * settlements.
     */
    @PostMapping(BASE + "/receive")
    @Requires(Permission.CONSUME)
    public PendingResponse<ReceiveResponse> receive(Call call, ReceiveRequest request) {
        int count = Objects.requireNonNullElse(request.count(), 1);
        Duration wait = Objects.requireNonNullElse(request.waitTime(), Duration.ZERO);
        if (count > settings.maxCount()) {
            throw ProblemType.INVALID_REQUEST.exception("The field 'count' must be an integer from 1 to "
                    + settings.maxCount() + " (delayqueue.http.api.max-count), but was " + count + ".");
        }
        if (wait.compareTo(settings.maxWait()) > 0) {
            throw ProblemType.INVALID_REQUEST.exception("The field 'wait' must be at most "
                    + DurationText.of(settings.maxWait()) + " (delayqueue.http.api.max-wait), but was "
                    + DurationText.of(wait) + ".");
        }
        settings.checkSize("settlements", request.settlements());
        request.topics().forEach(call.client()::requireTopic);
        call.requireTopicsOf(request.settlements());
        if (!call.request().isAsyncSupported()) {
            throw ProblemType.FAILED.exception("The request does not support asynchronous processing. Set"
                    + " async-supported on all filters and servlets that it passes.");
        }
        LongPoll poll = polls.open(call.client());
        try {
            CompletableFuture<List<SettleResponse>> results = settle(call, request.settlements());
            return Handover.begin(call.client().name(), poll, receive(request, count, wait), results, wait);
        } catch (RuntimeException e) {
            poll.close();
            throw e;
        }
    }

    private CompletableFuture<List<LeasedDelivery>> receive(ReceiveRequest request, int count, Duration wait) {
        return receiver.receiveAsync(io.delayqueue.template.receive.ReceiveRequest.from(request.topics())
                .max(count)
                .waitTime(wait)
                .lease(request.lease()));
    }

    private CompletableFuture<List<SettleResponse>> settle(Call call, List<SettleRequest> settlements) {
        String requestId = RequestId.of(call.request());
        return settling.all(settlements)
                .thenApply(results ->
                        results.stream().map(each -> each.response(requestId)).toList());
    }
}
