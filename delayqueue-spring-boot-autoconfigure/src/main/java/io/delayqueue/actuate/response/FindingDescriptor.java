package io.delayqueue.actuate.response;

import io.delayqueue.admin.Finding;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator should look at.
 *
 * @param level {@code critical} or {@code warning}
 * @param kind {@code unknown}, {@code failing}, {@code unavailable}, {@code no_listener}, {@code late},
 *     {@code node_failed}, {@code busy}, {@code suspects}, {@code dead_letters} or {@code paused}
 * @param failure class and text of an exception
 * @param topics the topics that it concerns, the worst first, at most 20
 * @param count the number of topics or nodes that it concerns
 * @param since when the node that responds found it first
 */
public record FindingDescriptor(
        String level,
        String kind,
        String text,
        @Nullable String failure,
        List<String> topics,
        int count,
        Instant since) {

    /** Creates the descriptor of a finding. */
    public static FindingDescriptor of(Finding finding) {
        return new FindingDescriptor(
                finding.level().name().toLowerCase(Locale.ROOT),
                finding.kind().name().toLowerCase(Locale.ROOT),
                finding.text(),
                finding.failure(),
                finding.topics(),
                finding.count(),
                finding.since());
    }
}
