package io.delayqueue.metrics;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingDouble;

import io.delayqueue.admin.diagnosis.Finding;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** One gauge for each finding of the last sample. A finding that ends removes its gauge. */
final class FindingGauges {

    static final String NONE = "none";

    private final VaryingGauges gauges;
    private final UnaryOperator<String> topicTag;

    /**
     * Creates gauges; none is registered before the first update.
     *
     * @param topicTag the tag of a topic, which topics without meters of their own share
     */
    FindingGauges(MeterRegistry registry, UnaryOperator<String> topicTag) {
        this.topicTag = topicTag;
        this.gauges = new VaryingGauges(DelayQueueMeters.FINDINGS, registry);
    }

    /**
     * Replaces the gauges.
     *
     * @param findings the most urgent first
     */
    void update(List<Finding> findings) {
        gauges.update(
                findings.stream().collect(groupingBy(this::tags, LinkedHashMap::new, summingDouble(finding -> 1))));
    }

    private Tags tags(Finding finding) {
        return Tags.of(
                "level",
                finding.level().name().toLowerCase(Locale.ROOT),
                "kind",
                finding.kind().name().toLowerCase(Locale.ROOT),
                "topic",
                finding.topics().isEmpty()
                        ? NONE
                        : topicTag.apply(finding.topics().get(0)),
                "node",
                finding.node() == null ? NONE : finding.node());
    }
}
