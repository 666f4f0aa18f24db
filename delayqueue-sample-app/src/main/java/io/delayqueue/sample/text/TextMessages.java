package io.delayqueue.sample.text;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.sample.JsonClient;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderDelivered;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;

/** Sends text messages through a provider that limits their rate. */
@Component
final class TextMessages {

    static final String TOPIC = "text-message";

    private final DelayQueueOperations delayQueue;
    private final JsonClient http;
    private final SampleProperties properties;
    private final Journal journal;

    TextMessages(DelayQueueOperations delayQueue, JsonClient http, SampleProperties properties, Journal journal) {
        this.delayQueue = delayQueue;
        this.http = http;
        this.properties = properties;
        this.journal = journal;
    }

    /** Must be called inside the transaction that stores the delivery. The message is sent after its commit. */
    @EventListener
    void announce(OrderDelivered delivered) {
        Order order = delivered.order();
        delayQueue.sendAfterCommit(DelayMessage.to(TOPIC)
                .id(order.id())
                .payload(new TextMessage(order.id(), "Your order is delivered: " + order.item()))
                .build());
    }

    /**
     * Called at most five times per second by all nodes together. The provider may still respond with 429, for example
     * because another application uses the same account. Then no node takes a message of the topic until the time that
     * the provider asks for has passed. This message is delivered then, too, and the attempt does not count.
     */
    @DelayListener(topic = TOPIC)
    void send(TextMessage message, Delivery delivery, Acknowledgement acknowledgement) {
        try {
            http.post(properties.text().url(), message.orderId(), message);
            journal.handled(message.orderId(), delivery, "The customer was told by a text message.");
        } catch (HttpClientErrorException.TooManyRequests e) {
            Duration wait = retryAfter(e.getResponseHeaders());
            acknowledgement.holdTopic(wait);
            journal.handled(
                    message.orderId(),
                    delivery,
                    "The provider of text messages asked to wait %s s.".formatted(wait.toSeconds()));
        }
    }

    private static Duration retryAfter(@Nullable HttpHeaders headers) {
        String seconds = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
        return Duration.ofSeconds(seconds == null ? 1 : Long.parseLong(seconds));
    }
}
