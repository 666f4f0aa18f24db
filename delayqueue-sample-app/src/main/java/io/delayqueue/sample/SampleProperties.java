package io.delayqueue.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the shop. Its times are short for the demonstration.
 *
 * @param paymentWindow time for which an order waits for its payment before it is cancelled; usually 30 minutes
 * @param reviewAfter delay between the delivery and the automatic review; usually one or two weeks
 */
@ConfigurationProperties("sample")
public record SampleProperties(
        @DefaultValue("15s") Duration paymentWindow,
        @DefaultValue("20s") Duration reviewAfter,
        @DefaultValue Notice notice,
        @DefaultValue Outbox outbox,
        @DefaultValue Warehouse warehouse) {

    /**
     * Payment notices. The listener reads the delays of retries from {@code sample.notice.intervals}.
     *
     * @param url the URL of the merchant; may contain {@code ${local.server.port}}, the port of this application
     * @param timeout timeout of a request to the merchant
     */
    public record Notice(String url, @DefaultValue("2s") Duration timeout) {}

    /**
     * Overdue work, which is searched for every {@code sample.outbox.every}.
     *
     * @param grace time after which pending work is overdue; longer than the maximum lag of a listener
     */
    public record Outbox(@DefaultValue("1m") Duration grace) {}

    /**
     * The warehouse.
     *
     * @param packAfter delay between the payment of an order and its packing
     */
    public record Warehouse(@DefaultValue("5s") Duration packAfter) {}
}
