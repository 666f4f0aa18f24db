package io.delayqueue.store.bench;

import static io.delayqueue.store.bench.StoreBench.T0;

import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Formats the reply of a poll as one line for comparison. Empty parts are omitted and times are relative to
 * {@link StoreBench#T0}. A claim is written as {@code id#attempt@due}, followed by the last failure in parentheses; the id of
 * one that is to be handled in isolation ends with {@code !}.
 */
public final class PollReplyText {

    private PollReplyText() {}

    /** Formats a reply. */
    public static String of(PollReply reply) {
        List<String> parts = new ArrayList<>();
        add(parts, "claimed", reply.claims(), PollReplyText::claim);
        add(parts, "gone", rejected(reply, false), Settlement::id);
        add(parts, "lost", rejected(reply, true), Settlement::id);
        add(parts, "reclaimed", reply.reclaimed(), id -> id);
        add(
                parts,
                "deadLettered",
                reply.deadLettered(),
                deadLettered -> deadLettered.id() + ":" + deadLettered.cause());
        parts.add("due " + time(reply.nextDueMillis()));
        parts.add("lease " + time(reply.nextLeaseEndMillis()));
        if (reply.suspectsLeft()) {
            parts.add("suspects left");
        }
        if (reply.limited()) {
            parts.add("limited");
        }
        return String.join(", ", parts);
    }

    private static List<Settlement> rejected(PollReply reply, boolean extensions) {
        return reply.rejected().stream()
                .filter(settlement -> settlement instanceof Settlement.Extend == extensions)
                .toList();
    }

    private static <T> void add(List<String> parts, String name, List<T> values, Function<T, String> text) {
        if (!values.isEmpty()) {
            parts.add(name + " " + String.join(" ", values.stream().map(text).toList()));
        }
    }

    private static String claim(Claim claim) {
        String failure = claim.lastFailure() == null ? "" : "(" + claim.lastFailure() + ")";
        return claim.id() + (claim.isolated() ? "!" : "") + "#" + claim.attempt() + "@" + time(claim.dueMillis())
                + failure;
    }

    private static String time(long millis) {
        return millis == PollReply.NEVER ? "never" : Long.toString(millis - T0);
    }
}
