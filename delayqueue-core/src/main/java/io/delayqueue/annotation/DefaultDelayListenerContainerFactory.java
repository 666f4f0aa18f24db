package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfDeadLetters;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Names;
import io.delayqueue.message.QueueKind;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates containers of the engine. Options come from the listener, then from {@link #withOptions}, then from the
 * properties. Immutable and thread-safe.
 *
 * <p>Declare a bean for listeners that share options:
 *
 * <pre>{@code
 * @Bean
 * DelayListenerContainerFactory bulk(DefaultDelayListenerContainerFactory delayListenerContainerFactory) {
 *     return delayListenerContainerFactory.withOptions(options -> options.concurrency(50));
 * }
 * }</pre>
 */
public final class DefaultDelayListenerContainerFactory implements DelayListenerContainerFactory {

    private final Function<ListenerSpec, ? extends ManagedListener> engine;
    private final ListenerOptions defaults;
    private final Function<String, ListenerOptions> ofTopic;
    private final DeadLetterSource deadLetters;
    private final Consumer<ListenerOptions.Builder> options;

    /**
     * Creates a factory with the options of the properties.
     *
     * @param engine creates containers
     * @param defaults options independent of a topic; they apply to dead-letter listeners
     * @param ofTopic returns the options of a topic. The batch size applies to batch listeners only
     * @param deadLetters loads dead letters for dead-letter listeners
     */
    public DefaultDelayListenerContainerFactory(
            Function<ListenerSpec, ? extends ManagedListener> engine,
            ListenerOptions defaults,
            Function<String, ListenerOptions> ofTopic,
            DeadLetterSource deadLetters) {
        this(engine, defaults, ofTopic, deadLetters, builder -> {});
    }

    private DefaultDelayListenerContainerFactory(
            Function<ListenerSpec, ? extends ManagedListener> engine,
            ListenerOptions defaults,
            Function<String, ListenerOptions> ofTopic,
            DeadLetterSource deadLetters,
            Consumer<ListenerOptions.Builder> options) {
        this.engine = engine;
        this.defaults = defaults;
        this.ofTopic = ofTopic;
        this.deadLetters = deadLetters;
        this.options = options;
    }

    /** Returns a copy of this factory with other default options for listeners of messages. */
    public DefaultDelayListenerContainerFactory withOptions(Consumer<ListenerOptions.Builder> more) {
        return new DefaultDelayListenerContainerFactory(engine, defaults, ofTopic, deadLetters, options.andThen(more));
    }

    @Override
    public ManagedListener createContainer(DelayListenerEndpoint endpoint) {
        Names.checkTopic(endpoint.topic());
        if (endpoint.handling() instanceof OfDeadLetters deadLettered) {
            return engine.apply(ofDeadLetters(endpoint, deadLettered));
        }
        return engine.apply(ofMessages(endpoint, (OfMessages) endpoint.handling()));
    }

    private ListenerSpec ofMessages(DelayListenerEndpoint endpoint, OfMessages messages) {
        ListenerOptions.Builder builder = ofTopic.apply(endpoint.topic()).toBuilder();
        options.accept(builder);
        if (!messages.batch()) {
            builder.batchSize(1);
        }
        endpoint.applyOptions(builder);
        return new ListenerSpec(
                endpoint.id(),
                endpoint.topic(),
                QueueKind.MESSAGES,
                builder.build(),
                messages.payloadType(),
                messages.handler());
    }

    private ListenerSpec ofDeadLetters(DelayListenerEndpoint endpoint, OfDeadLetters deadLettered) {
        ListenerOptions.Builder builder = defaults.toBuilder().batchSize(1).concurrency(1);
        endpoint.applyOptions(builder);
        return new ListenerSpec(
                endpoint.id(),
                endpoint.topic(),
                QueueKind.NOTIFICATIONS,
                builder.build(),
                byte[].class,
                notifications -> handle(notifications.get(0), deadLettered.handler()));
    }

    /** The engine retries the notification after a failure, or drops it after the last one. */
    private @Nullable CompletionStage<?> handle(Delivery notification, DeadLetterHandler handler) throws Exception {
        Optional<DeadLetter> deadLetter = deadLetters.find(notification.topic(), notification.id());
        return deadLetter.isEmpty() ? null : handler.handle(deadLetter.get(), notification);
    }
}
