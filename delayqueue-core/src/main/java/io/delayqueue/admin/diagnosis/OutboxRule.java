package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.template.OutboxState;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The outbox does not drain, or has rows that were rejected for good. */
final class OutboxRule implements Rule {

    private static final String LATE = "";

    private final Supplier<@Nullable OutboxState> outbox;
    private final Duration maxAge;

    OutboxRule(Supplier<@Nullable OutboxState> outbox, Duration maxAge) {
        this.outbox = outbox;
        this.maxAge = maxAge;
    }

    @Override
    public void check(Situation situation) {
        OutboxState state = outbox.get();
        if (state == null) {
            return;
        }
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
