package io.delayqueue.autoconfigure.forward;

import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerEndpoint;
import io.delayqueue.annotation.DelayListenerEndpointRegistrar;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.autoconfigure.property.ListenerLevels;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardMapper;
import io.delayqueue.forward.ForwardingHandler;
import io.delayqueue.forward.Route;
import io.delayqueue.forward.SendDeadlines;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.QueueKind;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Registers a listener for each forward, and runs the task of send timeouts while listeners run. On start, logs a
 * warning if other listeners receive messages of a forwarded topic.
 *
 * <p>Looks the registry up when it is needed. If this bean depended on the registry, Spring would stop it before the
 * registry, regardless of its phase.
 */
final class Forwards implements DelayListenerConfigurer, SmartLifecycle, AutoCloseable {

    private static final Log log = LogFactory.getLog(Forwards.class);

    /** With the default of listeners, Kafka's client would wait for its linger time before almost each batch. */
    private static final int PIPELINED_CONCURRENCY = 64;

    private final List<ForwardProperties> forwards;
    private final ListenerLevels levels;
    private final BrokerBeans brokers;
    private final List<ForwardMapper> mappers;
    private final SendDeadlines deadlines = new SendDeadlines(System::nanoTime);
    private final PeriodicTaskScheduler tasks;
    private final ObjectProvider<DelayListenerRegistry> registry;
    private @Nullable TaskHandle handle;

    Forwards(
            List<ForwardProperties> forwards,
            ListenerLevels levels,
            BrokerBeans brokers,
            List<ForwardMapper> mappers,
            PeriodicTaskScheduler tasks,
            ObjectProvider<DelayListenerRegistry> registry) {
        this.forwards = forwards;
        this.levels = levels;
        this.brokers = brokers;
        this.mappers = mappers;
        this.tasks = tasks;
        this.registry = registry;
    }

    @Override
    public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
        for (int index = 0; index < forwards.size(); index++) {
            registrar.register(endpoint(forwards.get(index), ForwardProperties.prefix(index)));
        }
    }

    private DelayListenerEndpoint endpoint(ForwardProperties forward, String prefix) {
        Route route = new Route(
                forward.topic(),
                forward.to(),
                forward.destination(),
                forward.routingKey(),
                forward.pubSub(),
                forward.sendTimeout());
        Broker broker = InvalidPropertyException.check(prefix, () -> brokers.find(route.to()));
        ForwardingHandler handler =
                InvalidPropertyException.check(prefix, () -> new ForwardingHandler(route, broker, mappers, deadlines));
        return DelayListenerEndpoint.to(route.topic())
                .id(forward.listenerId())
                .asyncHandler(byte[].class, handler::handle)
                .options(options -> {
                    if (broker.isPipelined() && !levels.setConcurrencyOf(route.topic())) {
                        options.concurrency(PIPELINED_CONCURRENCY);
                    }
                    levels.apply(forward, prefix, options);
                })
                .build();
    }

    @Override
    public synchronized void start() {
        if (handle == null && !forwards.isEmpty()) {
            forwards.forEach(this::warnOfOtherListeners);
            handle = tasks.schedule("forward deadlines", deadlines);
            deadlines.setHandle(handle);
        }
    }

    private void warnOfOtherListeners(ForwardProperties forward) {
        List<String> others = registry.getObject().getContainers().stream()
                .filter(listener -> listener.topic().equals(forward.topic()) && listener.kind() == QueueKind.MESSAGES)
                .map(ManagedListener::id)
                .filter(id -> !id.equals(forward.listenerId()))
                .toList();
        if (!others.isEmpty()) {
            log.warn("Messages of topic " + forward.topic() + " are forwarded by listener " + forward.listenerId()
                    + ", but " + others + " also receive them: each message is delivered to one of them only");
        }
    }

    @Override
    public synchronized void stop() {
        if (handle != null) {
            deadlines.setHandle(null);
            handle.cancel();
            handle = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return handle != null;
    }

    /** Starts before the listeners, and stops after them. */
    @Override
    public int getPhase() {
        return DelayListenerRegistry.PHASE - 1;
    }

    @Override
    public void close() {
        brokers.close();
    }
}
