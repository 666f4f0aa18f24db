package io.delayqueue.compatibility.upgrade;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueOperations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A node that is controlled by its standard input, and ends with it. It uses only what the previous release has, too.
 * Handlers of messages whose id contains {@code fails} fail at the first attempt.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class NodeApplication {

    static final String TOPIC = "rolled";

    public static void main(String... arguments) throws IOException {
        try (ConfigurableApplicationContext context = SpringApplication.run(NodeApplication.class, arguments);
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("started "
                    + DelayQueueOperations.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation());
            DelayQueueOperations delayQueue = context.getBean(DelayQueueOperations.class);
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] words = line.split(" ", 3);
                System.out.println("done " + words[0] + " " + words[1] + " " + execute(delayQueue, words));
            }
        }
    }

    private static Object execute(DelayQueueOperations delayQueue, String... words) {
        return switch (words[0]) {
            case "send" ->
                delayQueue.send(DelayMessage.to(TOPIC)
                        .id(words[1])
                        .payload(words[1])
                        .delay(millis(words[2]))
                        .build());
            case "cancel" -> delayQueue.cancel(TOPIC, words[1]);
            case "reschedule" -> delayQueue.reschedule(TOPIC, words[1], millis(words[2]));
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    @DelayListener(topic = TOPIC, backoff = "fixed 200ms")
    void handle(String id, Delivery delivery) {
        if (id.contains("fails") && delivery.attempt() == 1) {
            System.out.println("failed " + id);
            throw new IllegalStateException(id + " fails at first");
        }
        System.out.println("handled " + id + " "
                + (System.currentTimeMillis() - delivery.dueAt().toEpochMilli()));
    }
}
