package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueTemplate;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** A Spring Boot application with only the starter and a Redis. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE, properties = "delayqueue.namespace=end-to-end")
class EndToEndTests {

    @Autowired
    private DelayQueueTemplate delayQueue;

    @Autowired
    private DelayQueueOperations operations;

    @Autowired
    private Listeners listeners;

    @Test
    void messageReachesItsListenerWhenItIsDue() throws Exception {
        assertThat(operations).isSameAs(delayQueue);

        String id = delayQueue
                .send("orders", new CancelOrder("4711"), Duration.ofMillis(300))
                .id();

        Delivery delivery = listeners.deliveries.poll(60, TimeUnit.SECONDS);
        assertThat(delivery).isNotNull();
        assertThat(delivery.id()).isEqualTo(id);
        assertThat(delivery.payload()).isEqualTo(new CancelOrder("4711"));
    }

    @Test
    void payloadIsValidatedByTheApplicationsValidator() throws Exception {
        delayQueue.send("orders.checked", new CheckedOrder(""));

        DeadLetter deadLetter = listeners.invalid.poll(60, TimeUnit.SECONDS);
        assertThat(deadLetter).isNotNull();
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.UNREADABLE);
    }

    record CancelOrder(String orderNo) {}

    record CheckedOrder(@NotBlank String orderNo) {}

    static class Listeners {

        private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        private final BlockingQueue<DeadLetter> invalid = new LinkedBlockingQueue<>();

        @DelayListener("orders")
        void cancel(CancelOrder order, Delivery delivery) {
            deliveries.add(delivery);
        }

        @DelayListener("orders.checked")
        void check(@Valid CheckedOrder order) {}

        @DeadLetterListener("orders.checked")
        void invalid(DeadLetter deadLetter) {
            invalid.add(deadLetter);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Listeners.class)
    static class Application {}
}
