package io.delayqueue.web.api;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DeadLetterGroups;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.management.DeadLetterDetails;
import io.delayqueue.management.Shown;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.web.api.request.DueRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.guard.Requires;
import java.util.Locale;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Lists, replays and purges dead letters. Thread-safe. Each Redis call blocks for at most the command timeout. */
@Controller
@RequestMapping(ApiController.TOPIC + "/dead-letters")
public class DeadLettersController extends ApiController {

    private static final int MAX_GROUPED = 10_000;

    private final DelayQueueAdmin admin;
    private final DelayQueueInspector inspector;
    private final AuditLog audit;

    /**
     * Creates a controller.
     *
     * @param audit logs replays and purges
     */
    public DeadLettersController(DelayQueueAdmin admin, DelayQueueInspector inspector, AuditLog audit) {
        this.admin = admin;
        this.inspector = inspector;
        this.audit = audit;
    }

    /** Lists dead letters, youngest first. */
    @GetMapping
    @Requires(Permission.ADMIN)
    public Response<DeadLetterDetails.Page> list(Call call, PageQuery query) {
        return Response.ok(
                DeadLetterDetails.Page.of(admin.deadLetters(call.topic(), query.count(), query.page()), Shown.ALL));
    }

    /** Groups the youngest 10,000 dead letters by cause, exception type and shape of the exception's message. */
    @GetMapping("/groups")
    @Requires(Permission.ADMIN)
    public Response<DeadLetterGroups> groups(Call call) {
        return Response.ok(inspector.deadLetterGroups(call.topic(), MAX_GROUPED));
    }

    /** Reads a dead letter. */
    @GetMapping("/{deadLetter}")
    @Requires(Permission.ADMIN)
    public Response<DeadLetterDetails> read(Call call) {
        return admin.deadLetter(call.topic(), call.deadLetter())
                .map(deadLetter -> Response.ok(DeadLetterDetails.of(deadLetter, Shown.ALL)))
                .orElseThrow(() -> absent(call));
    }

    /** Deletes a dead letter permanently. */
    @DeleteMapping("/{deadLetter}")
    @Requires(Permission.ADMIN)
    public Response<Void> purge(Call call, EmptyRequest request) {
        boolean purged = admin.purge(call.topic(), call.deadLetter());
        audit(call, "purge", purged ? "purged" : "not_found", purged);
        if (!purged) {
            throw absent(call);
        }
        return Response.empty(204);
    }

    /**
     * Schedules the message of a dead letter again, with its attempts reset to 0. Rejected while a message with its id
     * is live.
     */
    @PostMapping("/{deadLetter}/replay")
    @Requires(Permission.ADMIN)
    public Response<Void> replay(Call call, DueRequest request) {
        ReplayOutcome outcome = request.dueAt() == null
                ? admin.replay(call.topic(), call.deadLetter(), request.delayOrZero())
                : admin.replay(call.topic(), call.deadLetter(), request.dueAt());
        audit(call, "replay", outcome.name().toLowerCase(Locale.ROOT), outcome == ReplayOutcome.REPLAYED);
        return switch (outcome) {
            case REPLAYED -> Response.empty(204);
            case ID_LIVE ->
                throw ProblemType.DUPLICATE.exception("Dead letter '" + call.deadLetter()
                        + "' was not replayed: a message with its id is live. Cancel that message first.");
            case UNREADABLE ->
                throw ProblemType.UNREADABLE.exception("Dead letter '" + call.deadLetter()
                        + "' was not replayed: it was written by a later version. Update this application.");
            case NOT_FOUND -> throw absent(call);
        };
    }

    private void audit(Call call, String action, String outcome, boolean changed) {
        String client = call.client().name();
        String text = action + " " + call.deadLetter() + ", " + outcome;
        if (changed) {
            audit.add(client, text, call.topic(), 1);
        } else {
            audit.addUnchanged(client, text, call.topic());
        }
    }

    private static ProblemException absent(Call call) {
        return ProblemType.NOT_FOUND.exception(
                "Topic '" + call.topic() + "' has no dead letter '" + call.deadLetter() + "'.");
    }
}
