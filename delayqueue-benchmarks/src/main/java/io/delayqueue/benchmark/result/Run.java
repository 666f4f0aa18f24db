package io.delayqueue.benchmark.result;

import java.util.List;
import java.util.Map;

/**
 * A whole run.
 *
 * @param profile its name: {@code full} or {@code quick}
 * @param environment what it ran on: label to value, in order (processors, memory, JVM, Redis, versions)
 * @param samples all trials
 */
public record Run(String profile, Map<String, String> environment, List<Sample> samples) {}
