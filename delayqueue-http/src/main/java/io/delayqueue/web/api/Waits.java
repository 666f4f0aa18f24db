package io.delayqueue.web.api;

import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The receive calls of waiting clients. They must end before the web server shuts down, since the graceful shutdown
 * waits for all requests. Thread-safe.
 */
public final class Waits {

    private final DelayQueueReceiver receiver;
    private final Map<Object, CompletableFuture<List<LeasedDelivery>>> open = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /** Creates an empty set of waits. */
    public Waits(DelayQueueReceiver receiver) {
        this.receiver = receiver;
    }

    CompletableFuture<List<LeasedDelivery>> receive(String topic, int count, Duration wait, Duration lease) {
        CompletableFuture<List<LeasedDelivery>> receiving = receiver.receiveAsync(topic, count, wait, lease);
        Object key = new Object();
        open.put(key, receiving);
        CompletableFuture<?> ignored = receiving.whenComplete((deliveries, failure) -> open.remove(key));
        if (ended) {
            receiving.complete(List.of());
        }
        return receiving;
    }

    /** Ends all waits with an empty result, without receiving. Later receive calls return immediately. */
    public void end() {
        ended = true;
        open.values().forEach(receiving -> receiving.complete(List.of()));
    }

    /** Permits waits again. */
    public void resume() {
        ended = false;
    }
}
