package io.delayqueue.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the shop. Its times are short for the demonstration.
 *
 * @param data directory of the database, and of the Redis of the README's command
 * @param paymentWindow time for which an order waits for its payment before it is cancelled; usually 30 minutes
 * @param reviewAfter delay between the delivery and the automatic review; usually one or two weeks
 * @param httpTimeout timeout of a request to the merchant or to the provider of text messages
 */
@ConfigurationProperties("sample")
public record SampleProperties(
        String data,
        @DefaultValue("15s") Duration paymentWindow,
        @DefaultValue("20s") Duration reviewAfter,
        @DefaultValue("2s") Duration httpTimeout,
        @DefaultValue Notice notice,
        @DefaultValue Text text,
        @DefaultValue Warehouse warehouse) {

    /**
     * Payment notices. The listener reads the delays of retries from {@code sample.notice.intervals}.
     *
     * @param url the URL of the merchant
     */
    public record Notice(String url) {}

    /**
     * Text messages.
     *
     * @param url the URL of their provider
     */
    public record Text(String url) {}

    /**
     * The warehouse.
     *
     * @param packAfter delay between the payment of an order and its packing
     */
    public record Warehouse(@DefaultValue("5s") Duration packAfter) {}
}
