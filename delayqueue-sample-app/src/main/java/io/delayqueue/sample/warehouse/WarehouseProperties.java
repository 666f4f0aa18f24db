package io.delayqueue.sample.warehouse;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the warehouse.
 *
 * @param packAfter delay between the payment of an order and its packing
 */
@ConfigurationProperties("sample.warehouse")
record WarehouseProperties(@DefaultValue("5s") Duration packAfter) {}
