/**
 * Tells a customer by a text message that an order is delivered. The provider permits five text messages per second, so
 * the topic has this limit in {@code application.yaml}.
 *
 * <p>{@code TextProvider} simulates an external server. Read next: {@code TextMessages}.
 */
@NullMarked
package io.delayqueue.sample.text;

import org.jspecify.annotations.NullMarked;
