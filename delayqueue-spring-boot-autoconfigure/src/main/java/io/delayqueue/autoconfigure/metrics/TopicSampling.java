package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Samples topics while the application runs. */
final class TopicSampling implements SmartLifecycle {

    private final TopicSampler sampler;
    private final PeriodicTaskScheduler tasks;
    private @Nullable TaskHandle handle;

    TopicSampling(TopicSampler sampler, PeriodicTaskScheduler tasks) {
        this.sampler = sampler;
        this.tasks = tasks;
    }

    @Override
    public synchronized void start() {
        if (handle == null) {
            handle = tasks.schedule("sampler", sampler.inBackground());
        }
    }

    @Override
    public synchronized void stop() {
        if (handle != null) {
            handle.cancel();
            handle = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return handle != null;
    }
}
