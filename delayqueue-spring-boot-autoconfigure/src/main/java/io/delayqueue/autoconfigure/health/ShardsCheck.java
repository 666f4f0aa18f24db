package io.delayqueue.autoconfigure.health;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.Contradiction;
import io.delayqueue.store.script.TopicRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Fails the application's start if a topic is configured with another number of shards, or another meaning of keys, than it is
 * registered with. Topics without such a property are not checked. The check registers no topics. If Redis does not respond within a
 * second, the start continues, and the first use of such a topic fails.
 */
final class ShardsCheck {

    private static final Log log = LogFactory.getLog(ShardsCheck.class);

    private final TopicRegistry registry;

    ShardsCheck(TopicRegistry registry) {
        this.registry = registry;
    }

    void check() {
        ShardPlan plan = registry.plan();
        SortedSet<String> planned = new TreeSet<>(plan.counts().keySet());
        planned.addAll(plan.keys().keySet());
        registered(List.copyOf(planned)).forEach((topic, shards) -> {
            Contradiction contradiction = plan.contradiction(topic, shards);
            if (contradiction != null && plan.onConflict() == ShardPlan.OnConflict.FAIL) {
                throw conflict(topic, contradiction);
            }
        });
    }

    static StartFailedException conflict(String topic, Contradiction contradiction) {
        String name = contradiction.property();
        String property = "delayqueue.topics[" + Printable.of(topic) + "]." + name;
        return new StartFailedException(
                "Topic " + Printable.of(topic) + " is registered with " + name + "=" + contradiction.registered()
                        + ", but " + property + " is " + contradiction.planned() + ".",
                "Set " + property + " to " + contradiction.registered()
                        + " or remove the property, or set delayqueue.shards.on-conflict=follow to use"
                        + " every topic as it is registered. To change it to " + contradiction.planned()
                        + ", stop the applications that use the topic, delete the topic when it is empty"
                        + " (DelayQueueAdmin.deleteTopic, or delete-topic of the endpoint delayqueue), and"
                        + " start this application again.");
    }

    /** The shards of each registered topic, by its name; empty if they cannot be read. */
    private Map<String, List<Shard>> registered(List<String> topics) {
        List<CompletableFuture<Optional<List<Shard>>>> replies = new ArrayList<>();
        topics.forEach(topic -> replies.add(registry.registeredShards(topic)));
        try {
            CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                    .orTimeout(1, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            if (Completions.cause(e) instanceof TopicConflictException unreadable) {
                throw unreadable;
            }
            log.debug("The check of shards and keys failed. Those of a topic are checked at its first use.", e);
            return Map.of();
        }
        Map<String, List<Shard>> registered = new HashMap<>();
        for (int i = 0; i < topics.size(); i++) {
            String topic = topics.get(i);
            replies.get(i).join().ifPresent(shards -> registered.put(topic, shards));
        }
        return registered;
    }
}
