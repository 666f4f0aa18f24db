package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import org.springframework.context.SmartLifecycle;

/** Samples topics while the application runs. */
final class TopicSampling implements SmartLifecycle {

    private final TopicSampler sampler;
    private final PeriodicTaskScheduler tasks;
    private boolean running;

    TopicSampling(TopicSampler sampler, PeriodicTaskScheduler tasks) {
        this.sampler = sampler;
        this.tasks = tasks;
    }

    @Override
    public synchronized void start() {
        if (!running) {
            sampler.schedule(tasks, "sampler");
            running = true;
        }
    }

    @Override
    public synchronized void stop() {
        sampler.cancel();
        running = false;
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
