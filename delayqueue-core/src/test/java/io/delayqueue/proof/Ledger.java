package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Records every message of a test over all nodes and checks the delivery guarantees at the end. Each message is exactly
 * one of acknowledged, dead-lettered or cancelled. No message is delivered early. No message is handled under
 * two live leases. Thread-safe.
 */
final class Ledger implements DelayQueueEvents {

    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Set<String> dead = ConcurrentHashMap.newKeySet();
    private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
    private final Map<String, Delivery> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> started = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    void sent(String id) {
        sent.add(id);
    }

    void cancelled(String id) {
        cancelled.add(id);
    }

    /** Records the start of a handler. Redis runs on this machine and uses the same clock. */
    void handlerStarted(Delivery delivery) {
        started.merge(delivery.id(), 1, Integer::sum);
        long now = System.currentTimeMillis();
        if (now < delivery.dueAt().toEpochMilli()) {
            violations.add(delivery.id() + " was " + (delivery.dueAt().toEpochMilli() - now) + " ms early");
        }
        Delivery other = running.put(delivery.id(), delivery);
        if (other != null && other.held()) {
            violations.add(delivery.id() + " is handled under two live leases, attempts " + other.attempt() + " and "
                    + delivery.attempt());
        }
    }

    void handlerEnded(Delivery delivery) {
        running.remove(delivery.id(), delivery);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        acknowledged.merge(id, 1, Integer::sum);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        dead.add(id);
    }

    /** The elements that a command returns, without the sentinel. */
    static Set<String> ids(RedisServerProcess redis, String... command) {
        Set<String> ids = new HashSet<>();
        ((List<?>) redis.command(command)).forEach(id -> ids.add(String.valueOf(id)));
        ids.removeIf(id -> id.startsWith("~~~"));
        return ids;
    }

    int settled() {
        return acknowledged.size() + dead.size() + cancelled.size();
    }

    /**
     * Checks the guarantees that hold even if Redis loses data: no early delivery, no two live leases of one message.
     */
    void checkLeases() {
        assertThat(violations).isEmpty();
    }

    /** Checks the guarantees where each message was settled. */
    void check() {
        checkLeases();
        Map<String, String> wrong = new TreeMap<>();
        for (String id : sent) {
            int count = acknowledged.getOrDefault(id, 0);
            if ((count > 0 ? 1 : 0) + (dead.contains(id) ? 1 : 0) + (cancelled.contains(id) ? 1 : 0) != 1) {
                wrong.put(
                        id,
                        "acknowledged " + count + ", dead " + dead.contains(id) + ", cancelled "
                                + cancelled.contains(id) + ", started " + started.getOrDefault(id, 0));
            }
        }
        assertThat(wrong)
                .as("messages that are not exactly one of acknowledged, dead or cancelled")
                .isEmpty();
    }
}
