package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.template.OutboxState;
import io.delayqueue.template.OutboxState.Content;
import io.delayqueue.template.OutboxState.Unusable;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The outbox does not drain, has rows that were rejected for good, or has a table that this node cannot use. */
final class OutboxRule implements Rule {

    private static final String LATE = "";
    /** Time for which the table cannot be used before it is a finding. A restart of the database may take less. */
    private static final Duration UNUSABLE = Duration.ofSeconds(10);

    private final Supplier<@Nullable OutboxState> outbox;
    private final Duration maxAge;

    OutboxRule(Supplier<@Nullable OutboxState> outbox, Duration maxAge) {
        this.outbox = outbox;
        this.maxAge = maxAge;
    }

    @Override
    public void check(Situation situation) {
        OutboxState state = outbox.get();
        if (state instanceof Unusable unusable) {
            checkTable(situation, unusable);
        } else if (state instanceof Content content) {
            checkContent(situation, content);
        }
    }

    private static void checkTable(Situation situation, Unusable outbox) {
        if (outbox.time().compareTo(UNUSABLE) >= 0) {
            situation.add(
                    Level.CRITICAL,
                    Kind.OUTBOX,
                    null,
                    "unusable",
                    "This node has not been able to use the table of the outbox, " + outbox.table() + ", for "
                            + Wording.span(outbox.time()) + ". " + outbox.problem()
                            + " Transactions that send or cancel wait for the table or fail.",
                    outbox.failure());
        }
    }

    private void checkContent(Situation situation, Content state) {
        Duration max = situation.wasFound(Kind.OUTBOX, LATE) ? maxAge.dividedBy(2) : maxAge;
        boolean late = state.waiting() > 0 && state.oldest().compareTo(max) > 0;
        String text = late
                ? "The outbox does not drain: " + Wording.rows(state.waiting(), "waiting for Redis")
                        + ", the oldest for " + Wording.span(state.oldest()) + "."
                : "";
        if (state.setAside() > 0) {
            text += (late ? " In the outbox, " : "In the outbox, ")
                    + Wording.rows(state.setAside(), "set aside, because Redis rejected ")
                    + (state.setAside() == 1 ? "it" : "them") + " for good.";
        }
        if (!text.isEmpty()) {
            situation.add(late ? Level.CRITICAL : Level.WARNING, Kind.OUTBOX, null, late ? LATE : "set aside", text);
        }
    }
}
