package io.delayqueue.container;

import io.delayqueue.coordination.Step;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Prunes the dead letters of the topics that this node consumes, by age and count, and says what it drops. */
final class RetentionStep implements Step {

    private static final Log log = LogFactory.getLog(RetentionStep.class);

    private final MessageStore store;
    private final Set<Shard> shards;
    private final EngineSettings settings;
    private final EventBus events;

    /** Goes over a set of shards that others add to; those of an earlier registration are taken out of it. */
    RetentionStep(MessageStore store, Set<Shard> shards, EngineSettings settings, EventBus events) {
        this.store = store;
        this.shards = shards;
        this.settings = settings;
        this.events = events;
    }

    @Override
    public Duration step() {
        boolean more = false;
        for (Shard shard : List.copyOf(shards)) {
            try {
                more |= prune(shard);
            } catch (TopicRegisteredAnewException e) {
                shards.remove(shard);
            } catch (TopicConflictException e) { // stops neither the other topics nor anything else
                log.warn("The dead letters of topic " + shard.topic() + " cannot be pruned: " + e.getMessage());
            }
        }
        return more ? Duration.ZERO : settings.retentionInterval();
    }

    private boolean prune(Shard shard) {
        // ids are spread evenly, and so are letters
        long count = (settings.letterMaxCount() + shard.count() - 1) / shard.count();
        int dropped = store.purge(shard, new Purge.Retention(settings.letterMaxAge(), count));
        if (dropped > 0) {
            log.info("Retention dropped " + dropped + " dead letters of topic " + shard.topic());
            events.publish(to -> to.lettersDropped(shard.topic(), dropped));
        }
        return dropped == StepRequest.MAX_BATCH;
    }
}
