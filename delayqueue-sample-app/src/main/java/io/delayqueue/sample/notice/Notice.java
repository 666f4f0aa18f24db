package io.delayqueue.sample.notice;

import org.jspecify.annotations.Nullable;

/**
 * A payment notice.
 *
 * @param orderId the paid order
 * @param status the status
 * @param deadLetterId the id of its dead letter, if it is dead
 * @param failure the failure of its last attempt, if it is dead
 */
public record Notice(
        String orderId,
        NoticeStatus status,
        @Nullable String deadLetterId,
        @Nullable String failure) {}
