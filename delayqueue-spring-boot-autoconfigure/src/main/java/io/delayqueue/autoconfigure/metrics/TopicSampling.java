package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Has topics sampled while the application runs. */
final class TopicSampling implements SmartLifecycle {

    private final TopicSampler sampler;
    private final StepScheduler steps;
    private @Nullable StepHandle handle;

    TopicSampling(TopicSampler sampler, StepScheduler steps) {
        this.sampler = sampler;
        this.steps = steps;
    }

    @Override
    public synchronized void start() {
        if (handle == null) {
            handle = steps.schedule("sampler", sampler);
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
