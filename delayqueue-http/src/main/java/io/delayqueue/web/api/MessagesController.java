package io.delayqueue.web.api;

import io.delayqueue.management.MessageDetails;
import io.delayqueue.management.Shown;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.web.api.request.DueRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
import io.delayqueue.web.api.response.CancelResponse;
import io.delayqueue.web.api.response.SendAllResponse;
import io.delayqueue.web.api.response.SendResponse;
import io.delayqueue.web.guard.Requires;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * Sends messages, and finds, cancels and reschedules them by id. Thread-safe. Each Redis call blocks for at most the
 * command timeout.
 */
@Controller
@RequestMapping(ApiController.TOPIC + "/messages")
public class MessagesController extends ApiController {

    private final MessageSending sending;
    private final DelayQueueOperations operations;
    private final ApiSettings settings;

    /** Creates a controller. */
    public MessagesController(MessageSending sending, DelayQueueOperations operations, ApiSettings settings) {
        this.sending = sending;
        this.operations = operations;
        this.settings = settings;
    }

    /**
     * Sends a message. Responds with 201 and the message's path in Location, or with 200 if a live message was kept.
     */
    @PostMapping
    @Requires(Permission.PRODUCE)
    public Response<SendResponse> send(Call call, SendRequest request, IdempotencyKey key) {
        SendResult.Success sent = sending.one(call.topic(), request, key);
        return Response.of(sent instanceof SendResult.Kept ? 200 : 201, SendResponse.of(sent))
                .header("Location", call.pathOfMessage(sent.id()));
    }

    /**
     * Sends several messages independently of each other. Responds with 200 and one result per message, in the same
     * order.
     */
    @PostMapping("/batch")
    @Requires(Permission.PRODUCE)
    public Response<SendAllResponse> sendAll(Call call, SendAllRequest request, IdempotencyKey key) {
        settings.checkSize("messages", request.messages());
        return Response.ok(new SendAllResponse(sending.many(call.topic(), request.messages(), key).stream()
                .map(SendResponse::of)
                .toList()));
    }

    /** Finds a live message. */
    @GetMapping("/{id}")
    @Requires({Permission.PRODUCE, Permission.CONSUME})
    public Response<MessageDetails> find(Call call) {
        return operations
                .find(call.topic(), call.id())
                .map(message -> Response.ok(MessageDetails.of(message, Shown.ALL)))
                .orElseThrow(() -> absent(call));
    }

    /** Cancels a scheduled or leased message. */
    @DeleteMapping("/{id}")
    @Requires(Permission.PRODUCE)
    public Response<CancelResponse> cancel(Call call, EmptyRequest request) {
        CancelOutcome outcome = operations.cancel(call.topic(), call.id());
        if (!outcome.isCancelled()) {
            throw absent(call);
        }
        return Response.ok(new CancelResponse(outcome));
    }

    /** Changes the due time of a scheduled message. Its attempts are kept. */
    @PostMapping("/{id}/reschedule")
    @Requires(Permission.PRODUCE)
    public Response<Void> reschedule(Call call, DueRequest request) {
        DueRequest due = request.required();
        RescheduleOutcome outcome = due.dueAt() == null
                ? operations.reschedule(call.topic(), call.id(), due.delayOrZero())
                : operations.reschedule(call.topic(), call.id(), due.dueAt());
        return switch (outcome) {
            case RESCHEDULED -> Response.empty(204);
            case BEING_HANDLED ->
                throw new ProblemException(ProblemType.BEING_HANDLED
                        .problem("Message '" + call.id() + "' of topic '" + call.topic()
                                + "' is being handled and was not rescheduled.")
                        .about(call.topic(), call.id()));
            case NOT_FOUND -> throw absent(call);
        };
    }

    private static ProblemException absent(Call call) {
        return new ProblemException(ProblemType.NOT_FOUND
                .problem("Topic '" + call.topic() + "' has no live message '" + call.id() + "'.")
                .about(call.topic(), call.id()));
    }
}
