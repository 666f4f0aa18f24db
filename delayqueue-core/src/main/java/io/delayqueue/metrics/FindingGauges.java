package io.delayqueue.metrics;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.delayqueue.admin.diagnosis.Finding;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One gauge for each finding of the last sample. A finding that ends removes its gauge. */
final class FindingGauges {

    private static final int MAX = 100;
    static final String NONE = "none";

    private final MultiGauge gauges;
    private final UnaryOperator<String> topicTag;

    /**
     * Creates gauges; none is registered before the first update.
     *
     * @param topicTag the tag of a topic, which topics without meters of their own share
     */
    FindingGauges(MeterRegistry registry, UnaryOperator<String> topicTag) {
        this.topicTag = topicTag;
        this.gauges = MultiGauge.builder(DelayQueueMeters.FINDINGS.getName())
                .description(DelayQueueMeters.FINDINGS.description())
                .register(registry);
    }

    /**
     * Replaces the gauges.
     *
     * @param findings the most urgent first
     */
    void update(List<Finding> findings) {
        Map<Tags, Long> counts = findings.stream().collect(groupingBy(this::tags, LinkedHashMap::new, counting()));
        gauges.register(
                counts.entrySet().stream()
                        .limit(MAX)
                        .<Row<?>>map(each -> Row.of(each.getKey(), each.getValue()))
                        .toList(),
                true);
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
