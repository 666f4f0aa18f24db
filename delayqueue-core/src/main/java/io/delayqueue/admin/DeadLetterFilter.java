package io.delayqueue.admin;

import io.delayqueue.message.DeadLetterKind;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.store.DeadLetterEntry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects dead letters.
 *
 * @param cause the stored name of their cause, see {@link io.delayqueue.message.DeadLetter#causeName()}; null for any
 * @param exceptionType type of the last failure, see {@link DeadLetterKind}; null for any
 * @param shape shape of the exception's message, see {@link DeadLetterKind}; null for any
 * @param from earliest time of dead-lettering, by Redis' clock; null for any
 * @param until latest time of dead-lettering, by Redis' clock; null for any
 */
public record DeadLetterFilter(
        @Nullable String cause,
        @Nullable String exceptionType,
        @Nullable String shape,
        @Nullable Instant from,
        @Nullable Instant until) {

    /** Selects all dead letters. */
    public static final DeadLetterFilter ALL = new DeadLetterFilter(null, null, null, null, null);

    /**
     * Checks the times.
     *
     * @throws IllegalArgumentException if the earliest time is after the latest
     */
    public DeadLetterFilter {
        InvalidOptionException.require(
                from == null || until == null || !from.isAfter(until),
                "from",
                "must not be after until, but was " + from + " and until was " + until);
    }

    /** Selects the dead letters of one kind. */
    public static DeadLetterFilter of(DeadLetterKind kind) {
        return new DeadLetterFilter(kind.cause(), kind.exceptionType(), kind.shape(), null, null);
    }

    boolean matches(DeadLetterEntry entry) {
        DeadLetterKind kind = entry.kind();
        return (cause == null || cause.equals(kind.cause()))
                && (exceptionType == null || exceptionType.equals(kind.exceptionType()))
                && (shape == null || shape.equals(kind.shape()))
                && !isTooOld(entry)
                && (until == null || !entry.deadLetteredAt().isAfter(until));
    }

    /** Whether a dead letter, and thus each older one, is too old to match. */
    boolean isTooOld(DeadLetterEntry entry) {
        return from != null && entry.deadLetteredAt().isBefore(from);
    }
}
