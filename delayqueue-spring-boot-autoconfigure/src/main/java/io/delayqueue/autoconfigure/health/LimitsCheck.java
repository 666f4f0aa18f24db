package io.delayqueue.autoconfigure.health;

import io.delayqueue.admin.DeclaredLimits;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
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
 * Declares the limits of topics when the application starts. Fails the start if those of a topic are rejected. If Redis
 * does not respond within a second, the start continues, and the limits are declared as soon as it responds.
 */
final class LimitsCheck {

    private static final Log log = LogFactory.getLog(LimitsCheck.class);

    private static final String DELETE =
            "delete the topic when it is empty (DelayQueueAdmin.deleteTopic, or delete-topic of"
                    + " the endpoint delayqueue)";

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
                throw conflict(unusable.topic(), unusable.shards());
            }
            if (cause instanceof TopicConflictException unreadable) {
                throw unreadable;
            }
            log.debug("The limits of topics were not declared. It is repeated later.", e);
        }
        declared.schedule(tasks, "limits of topics");
    }

    private StartFailedException conflict(String topic, int shards) {
        String prefix = "delayqueue.topics[" + Printable.of(topic) + "].";
        if (shards == 1) {
            String perKey = prefix + "max-concurrent-per-key";
            return new StartFailedException(
                    "Topic " + Printable.of(topic) + " is not fair, but " + perKey + " requires keys=fair.",
                    "Set " + prefix
                            + "keys to fair; if the topic is registered with another value, stop the applications"
                            + " that use it, and " + DELETE + "; or remove " + perKey + ".");
        }
        String properties = properties(limits.getOrDefault(topic, TopicLimits.NONE), prefix);
        return new StartFailedException(
                "Topic " + Printable.of(topic) + " is registered with " + shards + " shards, but a topic with "
                        + properties + " must have one.",
                "Remove " + properties + "; or stop the applications that use the topic, " + DELETE + ", set " + prefix
                        + "shards to 1 or remove that property, and start this application again.");
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
