package io.delayqueue.actuate.health;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.util.Map;

/**
 * Thresholds of the health indicator.
 *
 * @param maxFailing the time for which a listener's polls may fail or be overdue, 1 s to 1 h
 * @param maxLag the maximum lag of topics by their names, each greater than zero; other topics have no limit
 * @param allowEviction whether Redis is permitted to evict messages
 */
public record HealthSettings(Duration maxFailing, Map<String, Duration> maxLag, boolean allowEviction) {

    /** Checks the ranges. */
    public HealthSettings {
        InvalidOptionException.requireRange("maxFailing", maxFailing, Duration.ofSeconds(1), Duration.ofHours(1));
        maxLag.forEach((topic, lag) -> InvalidOptionException.require(
                !lag.isZero() && !lag.isNegative(),
                "maxLag[" + topic + "]",
                "must be more than zero, but was " + DurationText.of(lag)));
        maxLag = Map.copyOf(maxLag);
    }
}
