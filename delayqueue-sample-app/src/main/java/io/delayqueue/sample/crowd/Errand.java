package io.delayqueue.sample.crowd;

/**
 * What somebody comes back for.
 *
 * @param orderId of which order
 * @param kind what is to be done to it
 */
record Errand(String orderId, Kind kind) {

    enum Kind {
        PAY,
        DELIVER
    }
}
