package io.delayqueue.admin;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.store.LetterQuery.Page;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where to go on among a shard's letters, youngest first. It stays right when younger letters come or go.
 *
 * @param diedUntil the last one seen died then; null to begin
 * @param seen how many of those that died at that moment are behind
 */
record LetterCursor(@Nullable Instant diedUntil, int seen) {

    private static final Pattern TEXT = Pattern.compile("([0-9a-z]{1,11})\\.([0-9a-z]{1,6})");
    private static final int RADIX = 36;

    static LetterCursor from(@Nullable Instant diedUntil) {
        return new LetterCursor(diedUntil, 0);
    }

    static LetterCursor parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("This is no page of dead letters: " + text);
        }
        try {
            return new LetterCursor(
                    Instant.ofEpochMilli(Long.parseLong(matcher.group(1), RADIX)),
                    Integer.parseInt(matcher.group(2), RADIX));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("This is no page of dead letters: " + text, e);
        }
    }

    String text() {
        Instant until = diedUntil;
        return until == null ? "" : Long.toString(until.toEpochMilli(), RADIX) + '.' + Integer.toString(seen, RADIX);
    }

    Page page(int count) {
        return new Page(diedUntil, seen, count);
    }

    /** Behind a page from here, of whose letters the given ones are still there. */
    LetterCursor behind(List<DeadLetter> page, List<DeadLetter> left) {
        Instant last = page.get(page.size() - 1).diedAt();
        int same = (int)
                left.stream().filter(letter -> letter.diedAt().equals(last)).count();
        return new LetterCursor(last, last.equals(diedUntil) ? seen + same : same);
    }
}
