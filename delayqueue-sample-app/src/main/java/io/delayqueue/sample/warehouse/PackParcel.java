package io.delayqueue.sample.warehouse;

/**
 * What the warehouse gets.
 *
 * @param orderId the order
 * @param item what to put into the parcel
 */
public record PackParcel(String orderId, String item) {}
