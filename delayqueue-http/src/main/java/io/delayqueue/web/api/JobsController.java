package io.delayqueue.web.api;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.management.Jobs;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.JobStartRequest;
import io.delayqueue.web.api.response.JobPreview;
import io.delayqueue.web.guard.Requires;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

/** Starts, lists and stops jobs. Thread-safe. Each Redis call blocks for at most the command timeout. */
@Controller
public class JobsController extends ApiController {

    private final DelayQueueJobs jobs;
    private final AuditLog audit;

    /**
     * Creates a controller.
     *
     * @param jobs runs jobs, and logs requests and ends
     * @param audit logs stops
     */
    public JobsController(DelayQueueJobs jobs, AuditLog audit) {
        this.jobs = jobs;
        this.audit = audit;
    }

    /** Starts a job, which acts on many messages or dead letters of the topic, or pauses or resumes the topic later. */
    @PostMapping(TOPIC + "/jobs")
    @Requires(Permission.ADMIN)
    public Response<Job> startJob(Call call, JobStartRequest request) {
        try {
            return Response.ok(shown(call, jobs.start(job(call, request))));
        } catch (IllegalStateException e) {
            throw ProblemType.TOO_MANY_JOBS.exception(String.valueOf(e.getMessage()));
        }
    }

    /** Counts the messages or dead letters on which a job would act, and changes nothing. */
    @PostMapping(TOPIC + "/jobs/preview")
    @Requires(Permission.ADMIN)
    public Response<JobPreview> previewJob(Call call, JobStartRequest request) {
        return Response.ok(new JobPreview(jobs.preview(job(call, request))));
    }

    private static JobRequest job(Call call, JobStartRequest request) {
        JobRequest job = request.of(call.topic(), call.client().name());
        if (job.target() != null) {
            call.client().requireTopic(job.target());
        }
        return job;
    }

    /** Lists the jobs of the client's topics that wait, run, or ended within the last day. */
    @GetMapping(BASE + "/jobs")
    @Requires(Permission.ADMIN)
    public Response<Jobs> jobs(Call call) {
        return Response.ok(new Jobs(jobs.jobs().stream()
                .filter(job -> call.client().permits(job.request().topic()))
                .map(job -> shown(call, job))
                .toList()));
    }

    /** Reads a job. */
    @GetMapping(BASE + "/jobs/{job}")
    @Requires(Permission.ADMIN)
    public Response<Job> job(Call call) {
        return Response.ok(shown(call, find(call)));
    }

    /** Stops a job after its current batch. What it did is not undone. A job that has ended does not change. */
    @DeleteMapping(BASE + "/jobs/{job}")
    @Requires(Permission.ADMIN)
    public Response<Job> stopJob(Call call, EmptyRequest request) {
        boolean active = find(call).isActive();
        Job stopped = jobs.stop(call.job()).orElseThrow(() -> absent(call));
        if (active) {
            audit.add(
                    call.client().name(),
                    "stop job " + call.job(),
                    stopped.request().topic(),
                    1);
        }
        return Response.ok(shown(call, stopped));
    }

    /** To a client without access to its topic, a job does not exist. */
    private Job find(Call call) {
        return jobs.job(call.job())
                .filter(job -> call.client().permits(job.request().topic()))
                .orElseThrow(() -> absent(call));
    }

    /** A client without access to the target of a move does not learn its name. */
    private static Job shown(Call call, Job job) {
        String target = job.request().target();
        return target == null || call.client().permits(target) ? job : job.withoutTarget();
    }

    private static ProblemException absent(Call call) {
        return ProblemType.NOT_FOUND.exception(
                "There is no job '" + call.job() + "'. A job is removed a day after its end.");
    }
}
