package io.delayqueue.autoconfigure.forward;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.forward.SendDeadlines;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Shard.QueueKind;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the task of send timeouts while listeners run. On start, logs a warning if other listeners receive messages of a
 * forwarded topic.
 *
 * <p>Looks the registry up when it is needed. If this bean depended on the registry, Spring would stop it before the
 * registry, regardless of its phase.
 */
final class ForwardLifecycle implements SmartLifecycle {

    private static final Log log = LogFactory.getLog(ForwardLifecycle.class);

    private final List<ForwardProperties> forwards;
    private final SendDeadlines deadlines;
    private final PeriodicTaskScheduler tasks;
    private final ObjectProvider<DelayListenerRegistry> registry;
    private @Nullable TaskHandle handle;

    ForwardLifecycle(
            List<ForwardProperties> forwards,
            SendDeadlines deadlines,
            PeriodicTaskScheduler tasks,
            ObjectProvider<DelayListenerRegistry> registry) {
        this.forwards = forwards;
        this.deadlines = deadlines;
        this.tasks = tasks;
        this.registry = registry;
    }

    @Override
    public synchronized void start() {
        if (handle == null && !forwards.isEmpty()) {
            forwards.forEach(this::tellCompetitors);
            handle = tasks.schedule("forward deadlines", deadlines);
            deadlines.wakeBy(handle);
        }
    }

    private void tellCompetitors(ForwardProperties forward) {
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
            deadlines.wakeBy(null);
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
}
