package io.delayqueue.jdbc.outbox;

import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Handles due messages and records their payloads. */
final class Consumer {

    private static final Claiming CLAIMING = new Claiming(
            PollRequest.MAX_BATCH, PollRequest.MAX_BYTES, Duration.ofMinutes(1), false, false, PollRequest.MAX_BATCH);

    private final ProxiedQueue queue;
    private final List<String> handled = new ArrayList<>();
    private long sequence;

    Consumer(ProxiedQueue queue) {
        this.queue = queue;
    }

    /** The payloads of handled messages, in the order of their deliveries. */
    List<String> handled() {
        return handled;
    }

    /** Handles and acknowledges all due messages of a topic. */
    void consume(String topic) {
        int claimed = 1;
        while (claimed > 0) {
            List<Settlement> settlements = new ArrayList<>();
            for (Claim claim : poll(topic, List.of()).claims()) {
                handled.add(new String(claim.envelope().payload(), StandardCharsets.UTF_8));
                settlements.add(new Settlement.Acknowledge(claim.id(), claim.token()));
            }
            poll(topic, settlements);
            claimed = settlements.size();
        }
    }

    private PollReply poll(String topic, List<Settlement> settlements) {
        return queue.store
                .poll(
                        Shard.single(topic),
                        new PollRequest(
                                "consumer",
                                ++sequence,
                                "consumer-" + sequence,
                                settlements.isEmpty() ? CLAIMING : Claiming.NOTHING,
                                new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofMinutes(1), Duration.ZERO),
                                false,
                                settlements,
                                List.of()),
                        true,
                        Durability.NONE)
                .join()
                .orElseThrow();
    }
}
