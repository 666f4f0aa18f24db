package io.delayqueue.store.idempotency;

import java.util.List;

/**
 * What all requests of one idempotency key send by.
 *
 * @param nonce letters and digits, always as many
 * @param ids those that were generated for messages without one, in their order
 */
public record Reservation(String nonce, List<String> ids) {

    /** Copies the ids. */
    public Reservation {
        ids = List.copyOf(ids);
    }

    /**
     * The nonce of one message.
     *
     * @param index which one of the request, from 0
     */
    public String nonce(int index) {
        return nonce + index;
    }
}
