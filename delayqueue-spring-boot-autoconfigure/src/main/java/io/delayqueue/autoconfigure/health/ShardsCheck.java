package io.delayqueue.autoconfigure.health;

import io.delayqueue.autoconfigure.failure.ShardCountException;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.Roster.Member;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicDeletion;
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
 * Refuses to start with another number of shards of a topic than it is registered with, before anything uses it. A topic
 * that holds nothing, and that no node listens to, is registered anew instead. Topics of which the properties say nothing
 * are not asked for, and nothing else is registered. A Redis that doesn't answer within a second holds nothing up: then
 * the first use of the topic says it.
 */
final class ShardsCheck extends StartCheck {

    private static final Log log = LogFactory.getLog(ShardsCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** After the check of Redis' settings, and before whatever sends, listens or serves. */
    private static final int PHASE = 2;

    private final TopicRegistry registry;
    private final TopicDeletion deletion;
    private final NodeDirectory nodes;

    ShardsCheck(TopicRegistry registry, TopicDeletion deletion, NodeDirectory nodes) {
        super(PHASE);
        this.registry = registry;
        this.deletion = deletion;
        this.nodes = nodes;
    }

    @Override
    void check() {
        ShardPlan plan = registry.plan();
        askNow(plan.counts().keySet().stream().sorted().toList()).forEach((topic, registered) -> {
            int wanted = plan.of(topic).orElse(registered);
            if (wanted != registered && plan.onConflict() == ShardPlan.OnConflict.FAIL) {
                agree(topic, registered, wanted);
            }
        });
    }

    /** How many shards each of them is registered with, if it is; none if Redis doesn't answer. */
    private Map<String, Integer> askNow(List<String> topics) {
        List<CompletableFuture<Optional<List<Shard>>>> asked = new ArrayList<>();
        topics.forEach(topic -> asked.add(registry.registeredShardsAsync(topic)));
        try {
            CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                    .get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicConflictException unreadable) {
                throw unreadable;
            }
            log.debug("Shards of topics are compared when they are used", e);
            return Map.of();
        } catch (TimeoutException e) {
            log.debug("Shards of topics are compared when they are used", e);
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
        Map<String, Integer> registered = new HashMap<>();
        for (int i = 0; i < topics.size(); i++) {
            String topic = topics.get(i);
            asked.get(i).join().ifPresent(shards -> registered.put(topic, shards.size()));
        }
        return registered;
    }

    private void agree(String topic, int registered, int wanted) {
        try {
            List<String> consumers = nodes.roster().nodes().stream()
                    .filter(node ->
                            node.messages().contains(topic) || node.deaths().contains(topic))
                    .map(Member::name)
                    .toList();
            if (!consumers.isEmpty()) {
                throw new ShardCountException(
                        topic, registered, wanted, "listeners of it run on " + String.join(", ", consumers));
            }
            deletion.delete(topic);
            registry.shards(topic);
            log.info("Topic " + topic + " held nothing, and nobody listened to it: it was registered anew, with "
                    + wanted + " shards instead of " + registered);
        } catch (TopicNotEmptyException e) {
            throw new ShardCountException(topic, registered, wanted, "it holds " + e.held());
        } catch (TopicConflictException e) {
            throw new ShardCountException(topic, registered, wanted, "others use it right now");
        } catch (RedisCallException e) {
            log.warn("Topic " + topic + " is registered with " + registered + " shards instead of " + wanted
                    + ", and Redis did not answer when it was to be registered anew: " + e.getMessage());
        }
    }
}
