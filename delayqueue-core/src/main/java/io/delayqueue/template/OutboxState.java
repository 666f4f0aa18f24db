package io.delayqueue.template;

import io.delayqueue.Internal;
import java.time.Duration;

/**
 * The content of an outbox.
 *
 * @param waiting number of messages that wait to be sent
 * @param oldest time since the first of them was stored; zero if there is none
 * @param setAside number of messages that were rejected for good and wait for an operator
 */
@Internal
public record OutboxState(long waiting, Duration oldest, long setAside) {}
