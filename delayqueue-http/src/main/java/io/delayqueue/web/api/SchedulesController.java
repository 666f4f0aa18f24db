package io.delayqueue.web.api;

import io.delayqueue.admin.DeclaredSchedules;
import io.delayqueue.admin.DeclaredSchedules.Orphan;
import io.delayqueue.management.ScheduleDetails;
import io.delayqueue.management.SchedulePage;
import io.delayqueue.management.Shown;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.ScheduleRequest;
import io.delayqueue.web.api.response.ScheduleResponse;
import io.delayqueue.web.api.response.SendResponse;
import io.delayqueue.web.guard.Requires;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Stores, finds and changes schedules. Thread-safe. Each Redis call blocks for at most the command timeout. */
@Controller
@RequestMapping(ApiController.TOPIC + "/schedules")
public class SchedulesController extends ApiController {

    private static final int NEXT_TIMES = 5;

    private final DelayQueueSchedules schedules;
    private final MessageSending sending;
    private final @Nullable DeclaredSchedules declared;

    /**
     * Creates a controller.
     *
     * @param sending checks messages, and sends those of schedules that are run by hand
     * @param declared knows schedules that no listener declares any more; null if the application has no listeners
     */
    public SchedulesController(
            DelayQueueSchedules schedules, MessageSending sending, @Nullable DeclaredSchedules declared) {
        this.schedules = schedules;
        this.sending = sending;
        this.declared = declared;
    }

    /** Lists schedules by id. */
    @GetMapping
    @Requires(Permission.ADMIN)
    public Response<SchedulePage> listSchedules(Call call, PageQuery query) {
        Schedule.Page page = schedules.list(call.topic(), query.after("schedules"), query.count());
        return Response.ok(SchedulePage.of(
                new Schedule.Page(page.schedules(), PageQuery.next(page.next())), orphans(), Shown.ALL));
    }

    /** Finds a schedule, with its next five times. */
    @GetMapping("/{schedule}")
    @Requires(Permission.PRODUCE)
    public Response<ScheduleDetails> findSchedule(Call call) {
        return Response.ok(ScheduleDetails.of(find(call), NEXT_TIMES, orphans(), Shown.ALL));
    }

    /**
     * Stores a schedule, or changes the one with its id. Responds with 201 and the schedule's path in Location if it is new,
     * else with 200.
     */
    @PutMapping("/{schedule}")
    @Requires(Permission.PRODUCE)
    public Response<ScheduleResponse> putSchedule(Call call, ScheduleRequest request) {
        Schedule schedule = sending.schedule(call.topic(), call.schedule(), request);
        Schedule.Result result;
        try {
            result = schedules.put(schedule);
        } catch (DuplicateMessageException e) {
            throw new ProblemException(ProblemType.DUPLICATE
                    .problem("Schedule '" + schedule.id()
                            + "' was not stored: a message with its id is scheduled or being handled in topic '"
                            + schedule.topic() + "'. Cancel that message first, or use another id.")
                    .about(schedule.topic(), schedule.id()));
        }
        ScheduleResponse stored = new ScheduleResponse(result.outcome(), result.next());
        return result.outcome() == Schedule.Result.Outcome.CREATED
                ? Response.of(201, stored).header("Location", call.pathOfSchedule())
                : Response.ok(stored);
    }

    /** Removes a schedule and its message that waits. One that is being handled or retried goes on. */
    @DeleteMapping("/{schedule}")
    @Requires(Permission.PRODUCE)
    public Response<Void> removeSchedule(Call call, EmptyRequest request) {
        return done(call, schedules.remove(call.topic(), call.schedule()));
    }

    /** Pauses a schedule and removes its message that waits. One that is being handled or retried goes on. */
    @PostMapping("/{schedule}/pause")
    @Requires(Permission.PRODUCE)
    public Response<Void> pauseSchedule(Call call, EmptyRequest request) {
        return done(call, schedules.pause(call.topic(), call.schedule()));
    }

    /** Resumes a paused schedule with its next time from now. */
    @PostMapping("/{schedule}/resume")
    @Requires(Permission.PRODUCE)
    public Response<Void> resumeSchedule(Call call, EmptyRequest request) {
        return done(call, schedules.resume(call.topic(), call.schedule()));
    }

    /**
     * Sends the message of a schedule once, with a generated id and due at once. The schedule is left as it is, also if it is
     * paused. Responds with 201 and the message's path in Location.
     */
    @PostMapping("/{schedule}/run")
    @Requires(Permission.PRODUCE)
    public Response<SendResponse> runSchedule(Call call, EmptyRequest request, IdempotencyKey key) {
        SendResult.Success sent = sending.one(find(call).once(), key.with(call.schedule()));
        return Response.of(201, SendResponse.of(sent)).header("Location", call.pathOfMessage(sent.id()));
    }

    private Schedule.Snapshot find(Call call) {
        return schedules.find(call.topic(), call.schedule()).orElseThrow(() -> absent(call));
    }

    private List<Orphan> orphans() {
        return declared == null ? List.of() : declared.orphans();
    }

    private static Response<Void> done(Call call, boolean existed) {
        if (!existed) {
            throw absent(call);
        }
        return Response.empty(204);
    }

    private static ProblemException absent(Call call) {
        return new ProblemException(ProblemType.NOT_FOUND
                .problem("Topic '" + call.topic() + "' has no schedule '" + call.schedule() + "'.")
                .about(call.topic(), call.schedule()));
    }
}
