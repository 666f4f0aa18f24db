package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SimilarNames;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs once, a minute after the start, which configured topics neither have a listener in this process nor are registered
 * in Redis: their names may be mistyped. A send registers its topic.
 */
@Internal
public final class ConfiguredTopics extends RedisTask {

    static final Duration DELAY = Duration.ofMinutes(1);
    private static final Duration NEVER = Duration.ofDays(365);

    private static final Log log = LogFactory.getLog(ConfiguredTopics.class);

    private final Set<String> configured;
    private final TopicRegistry registry;
    private final Supplier<? extends Collection<String>> listenedTopics;
    private boolean begun;

    /**
     * Creates a task that checks only when it is run.
     *
     * @param configured names of the topics in the properties
     * @param listenedTopics supplies the topics of the listeners of this process
     * @param nanoTime the monotonic clock
     */
    public ConfiguredTopics(
            Set<String> configured,
            TopicRegistry registry,
            Supplier<? extends Collection<String>> listenedTopics,
            LongSupplier nanoTime) {
        super(nanoTime);
        this.configured = configured;
        this.registry = registry;
        this.listenedTopics = listenedTopics;
    }

    @Override
    protected Duration roundTrip() {
        if (!begun) {
            begun = true;
            return DELAY;
        }
        SortedSet<String> registered = reply(registry::topics);
        if (registered == null) {
            return UNTIL_WOKEN;
        }
        Set<String> known = new TreeSet<>(registered);
        known.addAll(listenedTopics.get());
        configured.stream().filter(topic -> !known.contains(topic)).sorted().forEach(topic -> tell(topic, known));
        return NEVER;
    }

    private static void tell(String topic, Set<String> known) {
        String nearest = known.stream()
                .min(Comparator.comparingInt(each -> SimilarNames.distance(topic, each)))
                .map(each -> " The nearest name is " + Printable.of(each) + ".")
                .orElse("");
        log.info("delayqueue.topics[" + Printable.of(topic)
                + "] is for a topic without a listener in this process, which Redis does not know, either."
                + nearest);
    }
}
