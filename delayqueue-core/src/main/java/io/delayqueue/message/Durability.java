package io.delayqueue.message;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.Assert;

/**
 * The confirmation that a write waits for, beyond the reply of the master. Redis replicates asynchronously: without a
 * confirmation, a write that the master has just accepted is lost if a replica without it is promoted. A write that
 * all replicas that may be promoted have confirmed survives each failover.
 *
 * <p>An application should use few different values: calls with equal values share a confirmation, others wait for each
 * other.
 *
 * @param replicas number of replicas that must confirm the write, 0 to 100
 * @param fsynced whether the master and these replicas must have written it to their append-only files on disk
 * @param within longest time to wait for the confirmation, 1 ms to 1 min; zero for {@link #NONE}
 */
public record Durability(int replicas, boolean fsynced, Duration within) {

    /** No confirmation: the reply of the master is enough. */
    public static final Durability NONE = new Durability(0, false, Duration.ZERO);

    private static final String OPTION = "durability";
    private static final int MAX_REPLICAS = 100;
    private static final Duration MIN_WITHIN = Duration.ofMillis(1);
    private static final Duration MAX_WITHIN = Duration.ofMinutes(1);
    private static final Pattern TEXT = Pattern.compile("(replicas|fsynced)\\s+(\\d{1,3})\\s+within\\s+(\\S.*)");

    /**
     * Checks the values.
     *
     * @throws InvalidOptionException if a value is out of range
     */
    public Durability {
        Assert.notNull(within, "'within' must not be null");
        boolean none = replicas == 0 && !fsynced;
        InvalidOptionException.requireRange("replicas", replicas, 0, MAX_REPLICAS);
        if (!none || !within.isZero()) {
            InvalidOptionException.requireRange("replicas", replicas, fsynced ? 0 : 1, MAX_REPLICAS);
            InvalidOptionException.requireRange("within", within, MIN_WITHIN, MAX_WITHIN);
        }
    }

    /**
     * Replicas have received the write ({@code WAIT}).
     *
     * @param replicas number of replicas, 1 to 100; counts those that may be promoted
     * @param within longest time to wait, 1 ms to 1 min
     * @throws InvalidOptionException if a value is out of range
     */
    public static Durability replicas(int replicas, Duration within) {
        InvalidOptionException.requireRange("replicas", replicas, 1, MAX_REPLICAS);
        return new Durability(replicas, false, within);
    }

    /**
     * The master and replicas have the write on disk ({@code WAITAOF}). Requires Redis 7.2 and {@code appendonly yes}.
     *
     * @param replicas number of replicas besides the master, 0 to 100
     * @param within longest time to wait, 1 ms to 1 min; with {@code appendfsync everysec}, allow at least two seconds
     * @throws InvalidOptionException if a value is out of range
     */
    public static Durability fsynced(int replicas, Duration within) {
        return new Durability(replicas, true, within);
    }

    /**
     * Parses {@code replicas 1 within 500ms}, {@code fsynced 1 within 2s} or {@code none}.
     *
     * @throws InvalidOptionException if the text is none of these or a value is out of range
     */
    public static Durability parse(String text) {
        String trimmed = text.trim();
        if (trimmed.equals("none")) {
            return NONE;
        }
        Matcher parts = TEXT.matcher(trimmed);
        if (!parts.matches()) {
            throw new InvalidOptionException(
                    OPTION,
                    "must be 'none', or of the form 'replicas 1 within 500ms' or 'fsynced 1 within 2s', but was '"
                            + Printable.of(trimmed) + "'");
        }
        int count = Integer.parseInt(parts.group(2));
        try {
            Duration within = DurationText.parse(parts.group(3));
            return parts.group(1).equals("fsynced") ? fsynced(count, within) : replicas(count, within);
        } catch (InvalidOptionException e) {
            throw new InvalidOptionException(OPTION, "is '" + trimmed + "', but " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    OPTION, "is '" + trimmed + "', but '" + parts.group(3) + "' " + e.getMessage(), e);
        }
    }

    /** Whether this is {@link #NONE}. */
    public boolean isNone() {
        return replicas == 0 && !fsynced;
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return isNone()
                ? "none"
                : (fsynced ? "fsynced " : "replicas ") + replicas + " within " + within.toMillis() + "ms";
    }
}
