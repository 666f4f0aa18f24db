package io.delayqueue.template.receive;

import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.PendingSettlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a {@link Receipt} says about its delivery. A client can forge it: Redis checks the token, and all other fields are
 * used for events only.
 *
 * @param attempt the number of the attempt
 * @param claimedAt when the message was claimed, by Redis' clock
 * @param sentAt when the message was sent, by Redis' clock
 * @param token opens this message only, see {@link LeaseTokens#receipt}
 */
record ReceiptDetails(int attempt, Instant claimedAt, Instant sentAt, String token)
        implements PendingSettlement.DeliveryDetails {

    private static final int RADIX = 36;
    private static final String NUMBER = "([0-9a-z]{1,9})\\.";
    private static final Pattern SYNTAX = Pattern.compile(NUMBER.repeat(3) + "(" + LeaseTokens.RECEIPT + ")");

    /** Parses a text that {@link #toString} returned; empty if the text is invalid. */
    static Optional<ReceiptDetails> parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new ReceiptDetails(
                (int) Math.min(Integer.MAX_VALUE, number(matcher, 1)),
                Instant.ofEpochMilli(number(matcher, 2)),
                Instant.ofEpochMilli(number(matcher, 3)),
                matcher.group(4)));
    }

    private static long number(Matcher matcher, int group) {
        return Long.parseLong(matcher.group(group), RADIX);
    }

    @Override
    public Duration handling(long givenAt, Instant settledAt) {
        Duration time = Duration.between(claimedAt, settledAt);
        return time.isNegative() ? Duration.ZERO : time;
    }

    @Override
    public String toString() {
        return String.join(
                ".",
                Integer.toString(attempt, RADIX),
                Long.toString(claimedAt.toEpochMilli(), RADIX),
                Long.toString(sentAt.toEpochMilli(), RADIX),
                token);
    }
}
