package io.delayqueue.sample.warehouse;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How paid orders come to the warehouse.
 *
 * @param packAfter how long after its payment an order is packed
 */
@ConfigurationProperties("sample.warehouse")
record WarehouseProperties(@DefaultValue("5s") Duration packAfter) {}
