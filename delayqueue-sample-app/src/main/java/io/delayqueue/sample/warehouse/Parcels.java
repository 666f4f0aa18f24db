package io.delayqueue.sample.warehouse;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderPaid;
import io.delayqueue.template.DelayQueueOperations;
import java.time.InstantSource;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Requests the packing of a paid order after a delay in which the customer may change the order. This application has
 * no listener of the topic: its messages are forwarded to the warehouse.
 */
@Component
@Profile("forward")
class Parcels {

    static final String TOPIC = "pack-parcel";

    private final DelayQueueOperations delayQueue;
    private final InstantSource clock;
    private final SampleProperties properties;

    Parcels(DelayQueueOperations delayQueue, InstantSource clock, SampleProperties properties) {
        this.delayQueue = delayQueue;
        this.clock = clock;
        this.properties = properties;
    }

    /** Must be called inside the transaction that stores the payment. The message is sent after its commit. */
    @EventListener
    void expectParcel(OrderPaid paid) {
        Order order = paid.order();
        delayQueue.sendAfterCommit(DelayMessage.to(TOPIC)
                .id(order.id())
                .payload(new PackParcel(order.id(), order.item()))
                .dueAt(clock.instant().plus(properties.warehouse().packAfter()))
                .header("tags", "parcel")
                .build());
    }
}
