package io.delayqueue.admin;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.store.LetterQuery.Page;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where to go on among a topic's letters, youngest first, those of one millisecond in the order of their shards. It stays
 * right when younger letters come or go.
 *
 * @param diedUntil the last one seen died then; null to begin
 * @param seen how many of those that died at that moment are behind, in the shard of the last one
 * @param shard the index of the shard in which the last one stands
 */
record LetterCursor(@Nullable Instant diedUntil, int seen, int shard) {

    private static final Pattern TEXT = Pattern.compile("([0-9a-z]{1,11})\\.([0-9a-z]{1,6})(?:\\.([0-9a-z]{1,2}))?");
    private static final int RADIX = 36;

    static LetterCursor from(@Nullable Instant diedUntil) {
        return new LetterCursor(diedUntil, 0, 0);
    }

    static LetterCursor parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("This is no page of dead letters: " + text);
        }
        try {
            return new LetterCursor(
                    Instant.ofEpochMilli(Long.parseLong(matcher.group(1), RADIX)),
                    Integer.parseInt(matcher.group(2), RADIX),
                    matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3), RADIX));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("This is no page of dead letters: " + text, e);
        }
    }

    String text() {
        Instant until = diedUntil;
        return until == null
                ? ""
                : Long.toString(until.toEpochMilli(), RADIX)
                        + '.'
                        + Integer.toString(seen, RADIX)
                        + (shard == 0 ? "" : '.' + Integer.toString(shard, RADIX));
    }

    /** The same place among the letters of one shard. */
    LetterCursor in(int index) {
        Instant until = diedUntil;
        if (until == null || index == shard) {
            return this;
        }
        return new LetterCursor(index < shard ? until.minusMillis(1) : until, 0, index);
    }

    Page page(int count) {
        return new Page(diedUntil, seen, count);
    }

    /** Behind a page of one shard from here, of whose letters the given ones are still there. */
    LetterCursor behind(List<DeadLetter> page, List<DeadLetter> left) {
        Instant last = page.get(page.size() - 1).diedAt();
        int same = (int)
                left.stream().filter(letter -> letter.diedAt().equals(last)).count();
        return new LetterCursor(last, last.equals(diedUntil) ? seen + same : same, shard);
    }
}
