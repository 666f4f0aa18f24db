package io.delayqueue.web.api;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.LetterPage;
import io.delayqueue.admin.ReplaySummary;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.web.api.answer.LetterAnswer;
import io.delayqueue.web.api.answer.PurgedAnswer;
import io.delayqueue.web.api.answer.ReplayedAnswer;
import io.delayqueue.web.api.request.DueRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.PurgeRequest;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Dead letters. Thread-safe; blocks for Redis, each call of it for a command time-out at most. */
@Controller
@RequestMapping(ApiController.TOPIC + "/dead-letters")
public class DeadLettersController extends ApiController {

    private final DelayQueueAdmin admin;

    /** Over what operates the queue. */
    public DeadLettersController(DelayQueueAdmin admin) {
        this.admin = admin;
    }

    /** Lists dead letters, the youngest first. */
    @GetMapping
    @Requires(Permission.ADMIN)
    public Answer<LetterAnswer.Page> list(Call call, PageQuery query) {
        LetterPage page = admin.letters(call.topic(), query.count(), query.page());
        return Answer.ok(new LetterAnswer.Page(
                page.letters().stream().map(LetterAnswer::of).toList(), page.next()));
    }

    /** Reads a dead letter. */
    @GetMapping("/{letter}")
    @Requires(Permission.ADMIN)
    public Answer<LetterAnswer> read(Call call) {
        return admin.letter(call.topic(), call.letter())
                .map(letter -> Answer.ok(LetterAnswer.of(letter)))
                .orElseThrow(() -> absent(call));
    }

    /** Removes a dead letter for good. */
    @DeleteMapping("/{letter}")
    @Requires(Permission.ADMIN)
    public Answer<Void> purge(Call call, EmptyRequest request) {
        if (!admin.purge(call.topic(), call.letter())) {
            throw absent(call);
        }
        return Answer.empty(204);
    }

    /** Schedules a dead letter's message anew, attempts from zero; refused while a message of its id is live. */
    @PostMapping("/{letter}/replay")
    @Requires(Permission.ADMIN)
    public Answer<Void> replay(Call call, DueRequest request) {
        ReplayOutcome outcome;
        if (request.delay() != null) {
            outcome = admin.replay(call.topic(), call.letter(), request.delay());
        } else if (request.dueAt() != null) {
            outcome = admin.replay(call.topic(), call.letter(), request.dueAt());
        } else {
            outcome = admin.replay(call.topic(), call.letter());
        }
        return switch (outcome) {
            case REPLAYED -> Answer.empty(204);
            case ID_LIVE ->
                throw ProblemType.DUPLICATE.exception(
                        "A message with the id of letter '" + call.letter() + "' is live, so that the letter stays.");
            case UNREADABLE ->
                throw ProblemType.UNREADABLE.exception(
                        "Letter '" + call.letter() + "' can't be read by this version, so that it stays.");
            case NOT_FOUND -> throw absent(call);
        };
    }

    /** Replays all dead letters that died before this request. Those stay whose id is live, or that nobody can read. */
    @PostMapping("/replay")
    @Requires(Permission.ADMIN)
    public Answer<ReplayedAnswer> replayAll(Call call, DueRequest request) {
        ReplaySummary summary;
        if (request.delay() != null) {
            summary = admin.replayAll(call.topic(), request.delay());
        } else if (request.dueAt() != null) {
            summary = admin.replayAll(call.topic(), request.dueAt());
        } else {
            summary = admin.replayAll(call.topic());
        }
        return Answer.ok(new ReplayedAnswer(summary.replayed(), summary.kept()));
    }

    /** Removes for good all dead letters that died before this request, or until a moment. */
    @PostMapping("/purge")
    @Requires(Permission.ADMIN)
    public Answer<PurgedAnswer> purgeAll(Call call, PurgeRequest request) {
        return Answer.ok(new PurgedAnswer(
                request.until() == null
                        ? admin.purgeAll(call.topic())
                        : admin.purgeAll(call.topic(), request.until())));
    }

    private static ProblemException absent(Call call) {
        return ProblemType.NOT_FOUND.exception(
                "There is no dead letter '" + call.letter() + "' in topic '" + call.topic() + "'.");
    }
}
