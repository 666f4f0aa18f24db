package io.delayqueue.management;

import io.delayqueue.admin.Job;
import java.util.List;

/**
 * Jobs that wait, run, or ended within the last day.
 *
 * @param jobs the latest first
 */
public record Jobs(List<Job> jobs) {}
