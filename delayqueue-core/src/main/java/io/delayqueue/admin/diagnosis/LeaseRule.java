package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * HTTP clients, or applications that call receivers, hold leases for much longer than usual; critical if messages are ready
 * meanwhile and these are most leases of the topic, or as many as its limit permits.
 */
final class LeaseRule implements TopicRule {

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        List<LeaseHolder> all = situation.holders(topic.topic());
        Duration limit = StuckRule.limit(all.stream()
                .map(LeaseHolder::usual)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO));
        List<LeaseHolder> overdue =
                all.stream().filter(each -> each.oldest().compareTo(limit) > 0).toList();
        if (overdue.isEmpty()) {
            return;
        }
        long held = overdue.stream().mapToLong(LeaseHolder::leases).sum();
        boolean holdsUp = counts.ready() > 0 && (2 * held > counts.leased() || fills(topic.limits(), held));
        LeaseHolder longest = overdue.get(0);
        int more = overdue.size() - 1;
        situation.addTopic(
                holdsUp ? Level.CRITICAL : Level.WARNING,
                Kind.LEASES,
                topic.topic(),
                more == 0 ? node(situation, longest) : null,
                describe(longest) + (more == 0 ? "." : ", and " + Wording.counted(more, "more does.", "more do.")),
                null);
    }

    private static boolean fills(@Nullable LimitStatus limits, long held) {
        Integer most = limits == null ? null : limits.effective().maxConcurrent();
        return most != null && held >= most;
    }

    private static @Nullable NodeStatus node(Situation situation, LeaseHolder holder) {
        return situation.nodes().live().stream()
                .filter(each -> each.node().equals(holder.node()))
                .findFirst()
                .orElse(null);
    }

    private static String describe(LeaseHolder holder) {
        String who = holder.client() != null
                ? "HTTP client " + Printable.of(holder.client())
                : "The application on " + Printable.of(String.valueOf(holder.host()));
        return who + " holds "
                + (holder.leases() == 1 ? "a lease" : Wording.count(holder.leases()) + " leases")
                + " for much longer than usual, " + (holder.leases() == 1 ? "" : "the oldest ") + "for "
                + Wording.span(holder.oldest()) + " with message " + Printable.of(holder.id());
    }
}
