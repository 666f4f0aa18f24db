package io.delayqueue.web.api;

import io.delayqueue.template.pull.DelayQueueReceiver;
import io.delayqueue.template.pull.PulledDelivery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The waits for messages, which end when the application does: its web server waits for all requests. Thread-safe. */
public final class Waits {

    private final DelayQueueReceiver receiver;
    private final Map<Object, CompletableFuture<List<PulledDelivery>>> open = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /** Of what is pulled by a receiver. */
    public Waits(DelayQueueReceiver receiver) {
        this.receiver = receiver;
    }

    CompletableFuture<List<PulledDelivery>> receive(String topic, int count, Duration wait, Duration lease) {
        CompletableFuture<List<PulledDelivery>> pulling = receiver.receiveAsync(topic, count, wait, lease);
        Object key = new Object();
        open.put(key, pulling);
        CompletableFuture<?> ignored = pulling.whenComplete((deliveries, failure) -> open.remove(key));
        if (ended) {
            pulling.complete(List.of());
        }
        return pulling;
    }

    /** Answers who waits with nothing, and who comes from now on too. Nothing is taken in their name. */
    public void end() {
        ended = true;
        open.values().forEach(pulling -> pulling.complete(List.of()));
    }

    /** Lets wait again. */
    public void resume() {
        ended = false;
    }
}
