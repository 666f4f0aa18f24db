package io.delayqueue.admin;

import io.delayqueue.store.DeadLetterQuery.Page;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position among a topic's dead letters, which are ordered youngest first and, within one millisecond, by shard. It
 * stays correct when younger dead letters are added or removed.
 *
 * @param deadLetteredUntil the time of the last dead letter read; null at the beginning
 * @param seen number of dead letters of that time that were read in the shard of the last one
 * @param shard index of the shard of the last dead letter read
 */
record DeadLetterCursor(@Nullable Instant deadLetteredUntil, int seen, int shard) {

    private static final Pattern TEXT = Pattern.compile("([0-9a-z]{1,11})\\.([0-9a-z]{1,6})(?:\\.([0-9a-z]{1,2}))?");
    private static final int RADIX = 36;

    static DeadLetterCursor from(@Nullable Instant deadLetteredUntil) {
        return new DeadLetterCursor(deadLetteredUntil, 0, 0);
    }

    static DeadLetterCursor parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("Not a page of dead letters: " + text);
        }
        try {
            return new DeadLetterCursor(
                    Instant.ofEpochMilli(Long.parseLong(matcher.group(1), RADIX)),
                    Integer.parseInt(matcher.group(2), RADIX),
                    matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3), RADIX));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Not a page of dead letters: " + text, e);
        }
    }

    String text() {
        Instant until = deadLetteredUntil;
        return until == null
                ? ""
                : Long.toString(until.toEpochMilli(), RADIX)
                        + '.'
                        + Integer.toString(seen, RADIX)
                        + (shard == 0 ? "" : '.' + Integer.toString(shard, RADIX));
    }

    /** The same position among the dead letters of one shard. */
    DeadLetterCursor inShard(int index) {
        Instant until = deadLetteredUntil;
        if (until == null || index == shard) {
            return this;
        }
        return new DeadLetterCursor(index < shard ? until.minusMillis(1) : until, 0, index);
    }

    Page page(int count) {
        return new Page(deadLetteredUntil, seen, count);
    }

    /**
     * The position after a page of one shard that began here.
     *
     * @param page times of the dead letters of the page
     * @param left times of those that still exist
     */
    DeadLetterCursor after(List<Instant> page, List<Instant> left) {
        Instant last = page.get(page.size() - 1);
        int same = (int) left.stream().filter(last::equals).count();
        return new DeadLetterCursor(last, last.equals(deadLetteredUntil) ? seen + same : same, shard);
    }
}
