package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfDeaths;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.Lane;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Has containers made by the engine. What a listener leaves open is decided by {@link #withOptions}, then by the
 * properties. Immutable and thread-safe.
 *
 * <p>A factory for listeners that have something in common is a bean made of this one:
 *
 * <pre>{@code
 * @Bean
 * DelayListenerContainerFactory bulk(DefaultDelayListenerContainerFactory delayListenerContainerFactory) {
 *     return delayListenerContainerFactory.withOptions(options -> options.concurrency(50));
 * }
 * }</pre>
 */
public final class DefaultDelayListenerContainerFactory implements DelayListenerContainerFactory {

    private static final int DEFAULT_BATCH_SIZE = 100;

    private final Function<ListenerSpec, ? extends ManagedListener> engine;
    private final ListenerOptions defaults;
    private final Function<String, ListenerOptions> ofTopic;
    private final DeadLetterSource letters;
    private final Consumer<ListenerOptions.Builder> options;

    /**
     * With what the properties say.
     *
     * @param engine makes containers
     * @param defaults the options of no topic in particular; by them the failures of dead-letter listeners are retried
     * @param ofTopic the options of a topic
     * @param letters where dead-letter listeners get their letters from
     */
    public DefaultDelayListenerContainerFactory(
            Function<ListenerSpec, ? extends ManagedListener> engine,
            ListenerOptions defaults,
            Function<String, ListenerOptions> ofTopic,
            DeadLetterSource letters) {
        this(engine, defaults, ofTopic, letters, builder -> {});
    }

    private DefaultDelayListenerContainerFactory(
            Function<ListenerSpec, ? extends ManagedListener> engine,
            ListenerOptions defaults,
            Function<String, ListenerOptions> ofTopic,
            DeadLetterSource letters,
            Consumer<ListenerOptions.Builder> options) {
        this.engine = engine;
        this.defaults = defaults;
        this.ofTopic = ofTopic;
        this.letters = letters;
        this.options = options;
    }

    /** A factory like this one, with options of its own for listeners of messages that name no others. */
    public DefaultDelayListenerContainerFactory withOptions(Consumer<ListenerOptions.Builder> more) {
        return new DefaultDelayListenerContainerFactory(engine, defaults, ofTopic, letters, options.andThen(more));
    }

    @Override
    public ManagedListener createContainer(DelayListenerEndpoint endpoint) {
        DelayMessage.checkTopic(endpoint.topic());
        if (endpoint.handling() instanceof OfDeaths deaths) {
            return engine.apply(ofDeaths(endpoint, deaths));
        }
        return engine.apply(ofMessages(endpoint, (OfMessages) endpoint.handling()));
    }

    private ListenerSpec ofMessages(DelayListenerEndpoint endpoint, OfMessages messages) {
        ListenerOptions.Builder builder = ofTopic.apply(endpoint.topic()).toBuilder();
        options.accept(builder);
        int batchSize = builder.build().batchSize();
        if (!messages.batch()) {
            builder.batchSize(1);
        } else if (batchSize == 1) {
            builder.batchSize(DEFAULT_BATCH_SIZE);
        }
        endpoint.applyOptions(builder);
        return new ListenerSpec(
                endpoint.id(),
                endpoint.topic(),
                Lane.MESSAGES,
                builder.build(),
                messages.payloadType(),
                messages.handler());
    }

    private ListenerSpec ofDeaths(DelayListenerEndpoint endpoint, OfDeaths deaths) {
        ListenerOptions.Builder builder = defaults.toBuilder().batchSize(1).concurrency(1);
        endpoint.applyOptions(builder);
        return new ListenerSpec(
                endpoint.id(),
                endpoint.topic(),
                Lane.DEATHS,
                builder.build(),
                byte[].class,
                new DeathNoticeHandler(deaths.handler(), letters));
    }
}
