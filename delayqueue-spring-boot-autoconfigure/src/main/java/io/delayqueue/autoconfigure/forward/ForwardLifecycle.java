package io.delayqueue.autoconfigure.forward;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.forward.SendDeadlines;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Shard.Lane;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Has sends watched while listeners run, and says at the start who else takes what is to be forwarded. */
final class ForwardLifecycle implements SmartLifecycle {

    private static final Log log = LogFactory.getLog(ForwardLifecycle.class);

    private final List<ForwardProperties> forwards;
    private final SendDeadlines deadlines;
    private final StepScheduler steps;
    private final DelayListenerRegistry registry;
    private @Nullable StepHandle handle;

    ForwardLifecycle(
            List<ForwardProperties> forwards,
            SendDeadlines deadlines,
            StepScheduler steps,
            DelayListenerRegistry registry) {
        this.forwards = forwards;
        this.deadlines = deadlines;
        this.steps = steps;
        this.registry = registry;
    }

    @Override
    public synchronized void start() {
        if (handle == null && !forwards.isEmpty()) {
            forwards.forEach(this::tellCompetitors);
            handle = steps.schedule("forward deadlines", deadlines);
            deadlines.wakeBy(handle);
        }
    }

    private void tellCompetitors(ForwardProperties forward) {
        List<String> others = registry.getContainers().stream()
                .filter(listener -> listener.topic().equals(forward.topic()) && listener.lane() == Lane.MESSAGES)
                .map(ManagedListener::id)
                .filter(id -> !id.equals(forward.listenerId()))
                .toList();
        if (!others.isEmpty()) {
            log.warn("Messages of topic " + forward.topic() + " are forwarded by listener " + forward.listenerId()
                    + ", but taken by " + others + " as well: each goes to one of them, not to all");
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
