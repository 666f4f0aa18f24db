package io.delayqueue.sample.crowd;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.sample.order.OrderService;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Places orders, pays most of them, some of them too late, and delivers most of the paid ones. It stops after five
 * minutes. Thread-safe.
 */
@RestController
@RequestMapping("/crowd")
public final class Crowd {

    static final String TOPIC = "customer";

    private static final Logger log = LoggerFactory.getLogger(Crowd.class);
    private static final Duration DURATION = Duration.ofMinutes(5);
    private static final String[] ITEMS = {"Teapot", "Hourglass", "Bonsai", "Sundial", "Sourdough"};
    private static final int PAY_PERCENT = 80;
    private static final int DELIVER_PERCENT = 90;
    private static final int LATEST_SECONDS = 20;

    private final OrderService orders;
    private final DelayQueueOperations delayQueue;
    private final InstantSource clock;
    private final Random random = new Random();
    private volatile CrowdSize size = CrowdSize.NONE;
    private volatile Instant endsAt = Instant.MIN;

    Crowd(OrderService orders, DelayQueueOperations delayQueue, InstantSource clock) {
        this.orders = orders;
        this.delayQueue = delayQueue;
        this.clock = clock;
    }

    /** The current number of customers. */
    @GetMapping("/size")
    public CrowdSize size() {
        return clock.instant().isBefore(endsAt) ? size : CrowdSize.NONE;
    }

    @PutMapping("/size")
    CrowdSize resize(@RequestBody CrowdSize wanted) {
        size = wanted;
        endsAt = clock.instant().plus(DURATION);
        return wanted;
    }

    @Scheduled(fixedRate = 1_000)
    void order() {
        try {
            for (int i = 0; i < size().perSecond(); i++) {
                String id = orders.simulate(
                                ITEMS[random.nextInt(ITEMS.length)], BigDecimal.valueOf(100 + random.nextInt(9_900), 2))
                        .id();
                sendLater(PAY_PERCENT, new Errand(id, Errand.Kind.PAY));
            }
        } catch (DelayQueueException e) {
            log.info("A simulated order failed: {}", e.getMessage());
        }
    }

    private void sendLater(int percent, Errand errand) {
        if (random.nextInt(100) < percent) {
            delayQueue.send(TOPIC, errand, Duration.ofMillis(random.nextInt(1_000, LATEST_SECONDS * 1_000)));
        }
    }

    /** Ignores orders that were cancelled or paid in the meantime. */
    @DelayListener(topic = TOPIC)
    void run(Errand errand) {
        try {
            switch (errand.kind()) {
                case PAY -> {
                    orders.pay(errand.orderId());
                    sendLater(DELIVER_PERCENT, new Errand(errand.orderId(), Errand.Kind.DELIVER));
                }
                case DELIVER -> orders.deliver(errand.orderId());
            }
        } catch (ResponseStatusException tooLate) {
            log.debug("{}", tooLate.getMessage());
        }
    }
}
