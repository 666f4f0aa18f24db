package io.delayqueue.sample.notice;

import org.jspecify.annotations.Nullable;

/**
 * What became of a payment notice.
 *
 * @param orderId the order that was paid
 * @param status where it stands
 * @param letterId by which it is replayed, while it is dead
 * @param failure why the last attempt failed, while it is dead
 */
public record Notice(
        String orderId,
        NoticeStatus status,
        @Nullable String letterId,
        @Nullable String failure) {}
