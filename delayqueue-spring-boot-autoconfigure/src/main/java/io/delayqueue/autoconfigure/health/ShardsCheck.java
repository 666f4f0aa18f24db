package io.delayqueue.autoconfigure.health;

import io.delayqueue.autoconfigure.failure.ShardCountException;
import io.delayqueue.message.Shard;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Fails the application's start if a topic is configured with another number of shards than it is registered with.
 * Topics without a configured number are not checked. The check registers no topics. If Redis does not respond within a
 * second, the start continues, and the first use of such a topic fails.
 */
final class ShardsCheck extends StartCheck {

    private static final Log log = LogFactory.getLog(ShardsCheck.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** After the check of Redis' settings, and before beans that send, listen or serve requests. */
    private static final int PHASE = 2;

    private final TopicRegistry registry;

    ShardsCheck(TopicRegistry registry) {
        super(PHASE);
        this.registry = registry;
    }

    @Override
    void check() {
        ShardPlan plan = registry.plan();
        registered(plan.counts().keySet().stream().sorted().toList()).forEach((topic, registered) -> {
            int wanted = plan.of(topic).orElse(registered);
            if (wanted != registered && plan.onConflict() == ShardPlan.OnConflict.FAIL) {
                throw new ShardCountException(topic, registered, wanted);
            }
        });
    }

    /** The number of shards of each registered topic, by its name; empty if Redis does not respond. */
    private Map<String, Integer> registered(List<String> topics) {
        List<CompletableFuture<Optional<List<Shard>>>> replies = new ArrayList<>();
        topics.forEach(topic -> replies.add(registry.registeredShards(topic)));
        try {
            CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                    .get(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicConflictException unreadable) {
                throw unreadable;
            }
            log.debug("Redis did not respond. The number of shards of a topic is checked at its first use.", e);
            return Map.of();
        } catch (TimeoutException e) {
            log.debug(
                    "Redis did not respond in time. The number of shards of a topic is checked at its" + " first use.",
                    e);
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
        Map<String, Integer> registered = new HashMap<>();
        for (int i = 0; i < topics.size(); i++) {
            String topic = topics.get(i);
            replies.get(i).join().ifPresent(shards -> registered.put(topic, shards.size()));
        }
        return registered;
    }
}
