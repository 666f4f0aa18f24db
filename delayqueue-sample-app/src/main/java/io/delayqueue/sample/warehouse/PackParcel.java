package io.delayqueue.sample.warehouse;

/**
 * The message to the warehouse.
 *
 * @param orderId the order
 * @param item the item to pack
 */
public record PackParcel(String orderId, String item) {}
