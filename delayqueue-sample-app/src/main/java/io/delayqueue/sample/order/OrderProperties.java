package io.delayqueue.sample.order;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of orders.
 *
 * @param paymentWindow time for which an order waits for its payment before it is cancelled; usually 30 minutes,
 *     shorter for the demonstration
 */
@ConfigurationProperties("sample")
record OrderProperties(@DefaultValue("15s") Duration paymentWindow) {}
