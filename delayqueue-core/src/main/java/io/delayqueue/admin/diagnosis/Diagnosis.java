package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.listener.ListenerStatus.Attempts;
import java.util.List;
import java.util.Map;

/**
 * What an operator should look at.
 *
 * @param findings at most five, the most urgent first; findings of one kind are grouped
 * @param topics all findings of each topic, the most urgent first; topics without findings are missing
 * @param counts number of topics or nodes with a finding of each kind; kinds without a finding are missing
 * @param attempts the attempts of the last minute of each topic, over all nodes; topics without attempts are missing
 */
@Internal
public record Diagnosis(
        List<Finding> findings,
        Map<String, List<Finding>> topics,
        Map<Kind, Integer> counts,
        Map<String, Attempts> attempts) {}
