package io.delayqueue.actuate.health;

import java.time.Duration;
import java.util.Map;

/**
 * From when on something is wrong.
 *
 * @param maxFailing for how long a listener's steps may fail or be overdue, 1 s to 1 h
 * @param maxLag how late the oldest due message of a topic may be; topics that aren't named may be as late as they are
 * @param allowEviction whether a Redis that may remove messages is as it should be
 */
public record HealthSettings(Duration maxFailing, Map<String, Duration> maxLag, boolean allowEviction) {

    /** Checks the ranges. */
    public HealthSettings {
        if (maxFailing.compareTo(Duration.ofSeconds(1)) < 0 || maxFailing.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("maxFailing is between PT1S and PT1H, but is " + maxFailing);
        }
        maxLag.forEach((topic, lag) -> {
            if (lag.isZero() || lag.isNegative()) {
                throw new IllegalArgumentException(
                        "delayqueue.health.max-lag[" + topic + "] is more than zero, but is " + lag);
            }
        });
        maxLag = Map.copyOf(maxLag);
    }
}
