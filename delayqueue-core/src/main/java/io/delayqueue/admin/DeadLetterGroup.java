package io.delayqueue.admin;

import io.delayqueue.message.DeadLetterKind;
import java.time.Instant;

/**
 * The dead letters of one kind.
 *
 * @param kind what they have in common
 * @param count number of dead letters
 * @param first time of the oldest, by Redis' clock
 * @param last time of the youngest, by Redis' clock
 * @param example id of the youngest
 */
public record DeadLetterGroup(DeadLetterKind kind, long count, Instant first, Instant last, String example) {}
