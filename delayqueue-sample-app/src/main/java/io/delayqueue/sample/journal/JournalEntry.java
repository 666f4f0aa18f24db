package io.delayqueue.sample.journal;

import java.time.Instant;

/**
 * Something that happened.
 *
 * @param id grows from entry to entry
 * @param at when
 * @param orderId the order it happened to
 * @param actor who did it
 * @param text what, in a sentence
 */
public record JournalEntry(long id, Instant at, String orderId, Actor actor, String text) {

    /** Who does something to an order. */
    public enum Actor {
        /** The customer, by a request. */
        CUSTOMER,
        /** The shop, by a request. */
        SHOP,
        /** A listener, by a delayed message. */
        QUEUE
    }
}
