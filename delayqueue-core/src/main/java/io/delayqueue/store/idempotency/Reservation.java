package io.delayqueue.store.idempotency;

import java.util.List;

/**
 * The nonce and ids that all requests with one idempotency key use.
 *
 * @param nonce letters and digits of a fixed length
 * @param ids generated ids of the messages without an id, in the order of the messages
 * @param isRepeat whether an earlier request reserved the key; that request may have sent the messages
 */
public record Reservation(String nonce, List<String> ids, boolean isRepeat) {

    /** Copies the ids. */
    public Reservation {
        ids = List.copyOf(ids);
    }

    /**
     * The nonce of one message.
     *
     * @param index index of the message in the request, from 0
     */
    public String nonce(int index) {
        return nonce + index;
    }
}
