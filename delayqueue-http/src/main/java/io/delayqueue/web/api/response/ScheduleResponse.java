package io.delayqueue.web.api.response;

import io.delayqueue.message.Schedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What storing a schedule changed.
 *
 * @param outcome created; unchanged (the same schedule was stored before); updated (another payload or option; the next
 *     message is due at the same time); retimed (another timing, and maybe another payload or option)
 * @param next when the next message is due, by Redis' clock; while one is being handled or retried, the one after it; omitted
 *     if the schedule is paused
 */
public record ScheduleResponse(
        Schedule.Result.Outcome outcome, @Nullable Instant next) {}
