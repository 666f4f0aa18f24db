package io.delayqueue.template;

import io.delayqueue.Internal;
import java.time.Duration;

/**
 * The content of an outbox. Each row is a send or a cancel.
 *
 * @param waiting number of rows that wait for Redis
 * @param oldest time since the first of them was stored; zero if there is none
 * @param setAside number of rows that were rejected for good and wait for an operator
 */
@Internal
public record OutboxState(long waiting, Duration oldest, long setAside) {}
