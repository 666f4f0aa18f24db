package io.delayqueue.sample.order;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the shop is like.
 *
 * @param paymentWindow how long an order waits for its payment before it is cancelled; 30 minutes is usual, a
 *     demonstration is not that patient
 */
@ConfigurationProperties("sample")
record OrderProperties(@DefaultValue("15s") Duration paymentWindow) {}
