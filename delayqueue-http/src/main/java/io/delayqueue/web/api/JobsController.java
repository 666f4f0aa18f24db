package io.delayqueue.web.api;

import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.JobStartRequest;
import io.delayqueue.web.api.response.JobResponse;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

/** Starts, lists and stops jobs. Thread-safe. Each Redis call blocks for at most the command timeout. */
@Controller
public class JobsController extends ApiController {

    private final DelayQueueJobs jobs;

    /** Creates a controller. */
    public JobsController(DelayQueueJobs jobs) {
        this.jobs = jobs;
    }

    /** Starts a job, which acts on many messages or dead letters of the topic, or pauses or resumes the topic later. */
    @PostMapping(TOPIC + "/jobs")
    @Requires(Permission.ADMIN)
    public Response<JobResponse> startJob(Call call, JobStartRequest request) {
        try {
            return Response.ok(JobResponse.of(jobs.start(request.of(call.topic(), call.user()))));
        } catch (IllegalStateException e) {
            throw ProblemType.TOO_MANY_JOBS.exception(String.valueOf(e.getMessage()));
        }
    }

    /** Counts the messages or dead letters on which a job would act, and changes nothing. */
    @PostMapping(TOPIC + "/jobs/preview")
    @Requires(Permission.ADMIN)
    public Response<JobResponse.JobPreview> previewJob(Call call, JobStartRequest request) {
        return Response.ok(new JobResponse.JobPreview(jobs.preview(request.of(call.topic(), call.user()))));
    }

    /** Lists the jobs that wait, run, or ended within the last day. */
    @GetMapping(BASE + "/jobs")
    @Requires(Permission.ADMIN)
    public Response<JobResponse.Jobs> jobs(Call call) {
        return Response.ok(
                new JobResponse.Jobs(jobs.jobs().stream().map(JobResponse::of).toList()));
    }

    /** Reads a job. */
    @GetMapping(BASE + "/jobs/{job}")
    @Requires(Permission.ADMIN)
    public Response<JobResponse> job(Call call) {
        return jobs.job(call.job()).map(job -> Response.ok(JobResponse.of(job))).orElseThrow(() -> absent(call));
    }

    /** Stops a job after its current batch. What it did is not undone. A job that has ended does not change. */
    @DeleteMapping(BASE + "/jobs/{job}")
    @Requires(Permission.ADMIN)
    public Response<JobResponse> stopJob(Call call, EmptyRequest request) {
        return jobs.stop(call.job())
                .map(job -> Response.ok(JobResponse.of(job)))
                .orElseThrow(() -> absent(call));
    }

    private static ProblemException absent(Call call) {
        return ProblemType.NOT_FOUND.exception(
                "There is no job '" + call.job() + "'. A job is removed a day after its end.");
    }
}
