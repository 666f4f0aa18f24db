package io.delayqueue.benchmark.result;

import java.util.List;
import java.util.Map;

/**
 * The results of a benchmark run.
 *
 * @param profile the name of the profile: {@code full} or {@code quick}
 * @param environment the environment, as ordered labels and values (processors, memory, JVM, Redis, versions)
 * @param samples the results of all trials
 */
public record Run(String profile, Map<String, String> environment, List<Sample> samples) {}
