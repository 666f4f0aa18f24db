package io.delayqueue.web.api;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.web.api.answer.CancelledAnswer;
import io.delayqueue.web.api.answer.MessageAnswer;
import io.delayqueue.web.api.answer.SentAllAnswer;
import io.delayqueue.web.api.answer.SentAnswer;
import io.delayqueue.web.api.request.DueRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import java.time.Duration;
import java.util.Objects;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Messages by their id. Thread-safe; blocks for Redis, each call of it for a command time-out at most. */
@Controller
@RequestMapping(ApiController.TOPIC + "/messages")
public class MessagesController extends ApiController {

    private final MessageSending sending;
    private final DelayQueueOperations operations;
    private final ApiSettings settings;

    /** Over what sends, and what knows messages. */
    public MessagesController(MessageSending sending, DelayQueueOperations operations, ApiSettings settings) {
        this.sending = sending;
        this.operations = operations;
        this.settings = settings;
    }

    /** Sends a message: 201 with its place in Location, or 200 if a live one was kept. */
    @PostMapping
    @Requires(Permission.PRODUCE)
    public Answer<SentAnswer> send(Call call, SendRequest request, IdempotencyKey key) {
        SendResult.Success sent = sending.one(call.topic(), request, key);
        return Answer.of(sent instanceof SendResult.Kept ? 200 : 201, SentAnswer.of(sent))
                .header("Location", call.pathOfMessage(sent.id()));
    }

    /** Sends many messages, each stored or not of its own accord: 200 with a result for each, in their order. */
    @PostMapping("/batch")
    @Requires(Permission.PRODUCE)
    public Answer<SentAllAnswer> sendAll(Call call, SendAllRequest request, IdempotencyKey key) {
        int count = request.messages().size();
        if (count > settings.maxCount()) {
            throw ProblemType.INVALID_REQUEST.exception("The field 'messages' has 1 to " + settings.maxCount()
                    + " messages (delayqueue.http.api.max-count), but here " + count + ".");
        }
        return Answer.ok(new SentAllAnswer(sending.many(call.topic(), request.messages(), key).stream()
                .map(SentAnswer::of)
                .toList()));
    }

    /** Finds a live message. */
    @GetMapping("/{id}")
    @Requires(Permission.PRODUCE)
    public Answer<MessageAnswer> find(Call call) {
        return operations
                .find(call.topic(), call.id())
                .map(message -> Answer.ok(MessageAnswer.of(message)))
                .orElseThrow(() -> absent(call));
    }

    /** Cancels a message, scheduled or being handled. */
    @DeleteMapping("/{id}")
    @Requires(Permission.PRODUCE)
    public Answer<CancelledAnswer> cancel(Call call, EmptyRequest request) {
        CancelOutcome outcome = operations.cancel(call.topic(), call.id());
        if (!outcome.isCancelled()) {
            throw absent(call);
        }
        return Answer.ok(CancelledAnswer.of(outcome));
    }

    /** Moves a scheduled message to another due time; attempts are kept. */
    @PostMapping("/{id}/reschedule")
    @Requires(Permission.PRODUCE)
    public Answer<Void> reschedule(Call call, DueRequest request) {
        Duration delay = request.required().delay();
        RescheduleOutcome outcome = delay == null
                ? operations.reschedule(call.topic(), call.id(), Objects.requireNonNull(request.dueAt()))
                : operations.reschedule(call.topic(), call.id(), delay);
        return switch (outcome) {
            case RESCHEDULED -> Answer.empty(204);
            case BEING_HANDLED ->
                throw new ProblemException(ProblemType.BEING_HANDLED
                        .problem("Message '" + call.id() + "' of topic '" + call.topic()
                                + "' is being handled, so that it stays as it is.")
                        .about(call.topic(), call.id()));
            case NOT_FOUND -> throw absent(call);
        };
    }

    private static ProblemException absent(Call call) {
        return new ProblemException(ProblemType.NOT_FOUND
                .problem("There is no live message '" + call.id() + "' in topic '" + call.topic() + "' now.")
                .about(call.topic(), call.id()));
    }
}
