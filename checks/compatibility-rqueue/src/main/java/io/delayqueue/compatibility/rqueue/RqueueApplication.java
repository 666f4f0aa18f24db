package io.delayqueue.compatibility.rqueue;

import com.github.sonus21.rqueue.annotation.RqueueListener;
import com.github.sonus21.rqueue.core.RqueueEndpointManager;
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Stores messages with the due times of its standard input, one a line: a number, and a time in milliseconds. Handles them
 * if {@code consume} is {@code true}. Ends with its input. It prints {@code started}, {@code stored} after each message, and
 * {@code handled} with number and time.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class RqueueApplication {

    static final String QUEUE = "orders";

    /** Created by Spring. */
    public RqueueApplication() {}

    /** Runs the application. */
    public static void main(String... args) throws IOException {
        try (ConfigurableApplicationContext context = SpringApplication.run(RqueueApplication.class, args);
                var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            RqueueEndpointManager queues = context.getBean(RqueueEndpointManager.class);
            if (!queues.isQueueRegistered(QUEUE)) {
                queues.registerQueue(QUEUE);
            }
            RqueueMessageEnqueuer enqueuer = context.getBean(RqueueMessageEnqueuer.class);
            System.out.println("started");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] order = line.split(" ", 2);
                Instant due = Instant.ofEpochMilli(Long.parseLong(order[1]));
                if (due.isAfter(Instant.now())) {
                    enqueuer.enqueueAt(QUEUE, new Order(order[0]), due);
                } else {
                    enqueuer.enqueue(QUEUE, new Order(order[0]));
                }
                System.out.println("stored " + order[0]);
            }
        }
    }

    @Bean
    @ConditionalOnProperty("consume")
    Consumer consumer() {
        return new Consumer();
    }

    /** Prints what it handles. */
    static class Consumer {

        @RqueueListener(value = QUEUE, concurrency = "10")
        void handle(Order order) {
            System.out.println("handled " + order.getNumber() + " " + System.currentTimeMillis());
        }
    }

    /** A payload. */
    public static class Order {

        private String number;

        /** Created by Jackson. */
        public Order() {
            this("");
        }

        Order(String number) {
            this.number = number;
        }

        /** The number. */
        public String getNumber() {
            return number;
        }

        /** Sets the number. */
        public void setNumber(String number) {
            this.number = number;
        }
    }
}
