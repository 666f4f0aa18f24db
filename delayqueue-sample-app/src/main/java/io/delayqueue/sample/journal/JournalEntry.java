package io.delayqueue.sample.journal;

import java.time.Instant;

/**
 * An event of an order.
 *
 * @param id an increasing number
 * @param at the time of the event
 * @param orderId the order
 * @param actor the origin of the event
 * @param text a sentence that describes the event
 */
public record JournalEntry(long id, Instant at, String orderId, Actor actor, String text) {

    /** The origin of an event. */
    public enum Actor {
        /** The customer, by a request. */
        CUSTOMER,
        /** The shop, by a request. */
        SHOP,
        /** A listener, by a delayed message. */
        QUEUE
    }
}
