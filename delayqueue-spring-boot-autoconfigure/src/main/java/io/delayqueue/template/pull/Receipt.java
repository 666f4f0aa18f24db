package io.delayqueue.template.pull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What any process needs to know to settle a delivery. Of what it says only the token is believed by Redis; the rest is
 * what would else have to be asked for.
 *
 * @param attempt which attempt it is
 * @param permitted how many there are
 * @param takenAt when it was claimed, by Redis' clock
 * @param sentAt when the message was sent, by Redis' clock
 * @param token the lease's token
 */
record Receipt(int attempt, int permitted, Instant takenAt, Instant sentAt, String token) implements Timing {

    private static final int RADIX = 36;
    private static final String NUMBER = "([0-9a-z]{1,9})\\.";
    private static final Pattern SYNTAX = Pattern.compile(NUMBER.repeat(4) + "([!-~]{1,100})");

    /** As {@link #toString} wrote it; empty if it didn't. */
    static Optional<Receipt> parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new Receipt(
                (int) Math.min(Integer.MAX_VALUE, number(matcher, 1)),
                (int) Math.min(Integer.MAX_VALUE, number(matcher, 2)),
                Instant.ofEpochMilli(number(matcher, 3)),
                Instant.ofEpochMilli(number(matcher, 4)),
                matcher.group(5)));
    }

    private static long number(Matcher matcher, int group) {
        return Long.parseLong(matcher.group(group), RADIX);
    }

    @Override
    public Duration handling(long askedNanos, Instant settledAt) {
        return between(takenAt, settledAt);
    }

    @Override
    public Duration sinceSent(Instant settledAt) {
        return between(sentAt, settledAt);
    }

    private static Duration between(Instant from, Instant to) {
        Duration time = Duration.between(from, to);
        return time.isNegative() ? Duration.ZERO : time;
    }

    @Override
    public String toString() {
        return String.join(
                ".",
                Integer.toString(attempt, RADIX),
                Integer.toString(permitted, RADIX),
                Long.toString(takenAt.toEpochMilli(), RADIX),
                Long.toString(sentAt.toEpochMilli(), RADIX),
                token);
    }
}
