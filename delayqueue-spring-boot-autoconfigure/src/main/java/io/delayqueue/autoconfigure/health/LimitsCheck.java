package io.delayqueue.autoconfigure.health;

import io.delayqueue.admin.DeclaredLimits;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.UnusableLimitsException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Declares the limits of topics when the application starts. Fails the start if a topic cannot have them. If Redis
 * does not respond within a second, the start continues, and the limits are declared as soon as it responds.
 */
final class LimitsCheck {

    private static final Log log = LogFactory.getLog(LimitsCheck.class);

    private final Map<String, TopicLimits> limits;
    private final DeclaredLimits declared;
    private final PeriodicTaskScheduler tasks;

    LimitsCheck(Map<String, TopicLimits> limits, DeclaredLimits declared, PeriodicTaskScheduler tasks) {
        this.limits = limits;
        this.declared = declared;
        this.tasks = tasks;
    }

    void check() {
        if (limits.isEmpty()) {
            return;
        }
        try {
            declared.declareAll().orTimeout(1, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            Throwable cause = Completions.cause(e);
            if (cause instanceof UnusableLimitsException unusable) {
                throw conflict(unusable.registered());
            }
            if (cause instanceof TopicConflictException unreadable) {
                throw unreadable;
            }
            log.debug("The limits of topics were not declared. It is repeated later.", e);
        }
        declared.schedule(tasks, "limits of topics");
    }

    private StartFailedException conflict(Shard registered) {
        String topic = Printable.of(registered.topic());
        String prefix = "delayqueue.topics[" + topic + "].";
        boolean sharded = registered.count() > 1;
        String properties = sharded
                ? properties(limits.getOrDefault(registered.topic(), TopicLimits.NONE), prefix)
                : prefix + "max-concurrent-per-key";
        return new StartFailedException(
                "Topic " + topic
                        + (sharded
                                ? " is registered with " + registered.count() + " shards, but a topic with "
                                        + properties + " must have one."
                                : " is not fair, but a topic with " + properties + " must be."),
                "Remove " + properties
                        + "; or stop the applications that use the topic, delete the topic when it is empty"
                        + " (DelayQueueAdmin.deleteTopic, or delete-topic of the endpoint delayqueue), set " + prefix
                        + (sharded ? "shards to 1 or remove that property" : "keys to fair")
                        + ", and start this application again.");
    }

    private static String properties(TopicLimits limits, String prefix) {
        return Stream.of(
                        limits.maxConcurrent() == null ? "" : "max-concurrent",
                        limits.maxConcurrentPerKey() == null ? "" : "max-concurrent-per-key",
                        limits.rate() == null ? "" : "rate",
                        limits.maxMessages() == null ? "" : "max-messages")
                .filter(name -> !name.isEmpty())
                .map(name -> prefix + name)
                .collect(Collectors.joining(" or "));
    }

    void cancel() {
        declared.cancel();
    }
}
