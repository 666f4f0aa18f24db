package io.delayqueue.sample.crowd;

/**
 * The delayed message for a customer's later action.
 *
 * @param orderId the order
 * @param kind the action
 */
record Errand(String orderId, Kind kind) {

    enum Kind {
        PAY,
        DELIVER
    }
}
