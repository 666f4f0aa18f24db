package io.delayqueue.web.api;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.pull.PulledDelivery;
import io.delayqueue.web.api.answer.DeliveryAnswer;
import io.delayqueue.web.api.answer.PulledAnswer;
import io.delayqueue.web.api.request.PullRequest;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import io.delayqueue.web.waiting.LongPoll;
import io.delayqueue.web.waiting.LongPolls;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.async.DeferredResult;

/** Receives messages. Thread-safe; who waits holds no thread and no connection to Redis. */
@Controller
@RequestMapping(ApiController.TOPIC + "/receive")
public class ReceiveController extends ApiController {

    private final Waits waits;
    private final LongPolls polls;
    private final ApiSettings settings;

    /** Over what pulls, and what knows who waits. */
    public ReceiveController(Waits waits, LongPolls polls, ApiSettings settings) {
        this.waits = waits;
        this.polls = polls;
        this.settings = settings;
    }

    /** Receives due messages, each under a lease, or waits for them; an empty list if none is due in time. */
    @PostMapping
    @Requires(Permission.CONSUME)
    public DeferredResult<Answer<PulledAnswer>> receive(Call call, PullRequest request) {
        String topic = DelayMessage.checkTopic(call.topic());
        int count = Objects.requireNonNullElse(request.count(), 1);
        Duration wait = Objects.requireNonNullElse(request.waitTime(), Duration.ZERO);
        if (count > settings.maxCount()) {
            throw ProblemType.INVALID_REQUEST.exception("The field 'count' is a whole number from 1 to "
                    + settings.maxCount() + " (delayqueue.http.api.max-count), but not " + count + ".");
        }
        if (wait.compareTo(settings.maxWait()) > 0) {
            throw ProblemType.INVALID_REQUEST.exception("The field 'wait' is at most "
                    + settings.maxWait().toMillis() + " ms (delayqueue.http.api.max-wait), but not " + wait + ".");
        }
        if (!call.request().isAsyncSupported()) {
            throw ProblemType.FAILED.exception("A filter or servlet before the HTTP interface is registered without"
                    + " asynchronous support (async-supported), so that nobody can wait here.");
        }
        LongPoll poll = polls.open(call.request());
        try {
            return Handover.begin(
                    call.request(),
                    poll,
                    waits.receive(topic, count, wait, request.lease()),
                    wait,
                    deliveries -> answer(call, deliveries));
        } catch (RuntimeException e) {
            poll.close();
            throw e;
        }
    }

    private static PulledAnswer answer(Call call, List<PulledDelivery> deliveries) {
        return new PulledAnswer(deliveries.stream()
                .map(delivery -> DeliveryAnswer.of(delivery, call.pathOfLease(delivery.id(), delivery.receipt())))
                .toList());
    }
}
