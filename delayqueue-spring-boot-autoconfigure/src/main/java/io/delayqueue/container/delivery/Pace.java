package io.delayqueue.container.delivery;

import java.time.Duration;

/**
 * How a poller times itself.
 *
 * @param sweep the longest it sleeps
 * @param unconfirmedSweep the same while signals can't be relied upon
 * @param linger how long an answer may wait for company while there is other work
 * @param confirmAfter a delivery that waited longer than this for a worker confirms its lease before it starts
 */
public record Pace(Duration sweep, Duration unconfirmedSweep, Duration linger, Duration confirmAfter) {}
