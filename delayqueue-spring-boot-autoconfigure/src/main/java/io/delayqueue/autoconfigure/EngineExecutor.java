package io.delayqueue.autoconfigure;

import io.delayqueue.container.DelayQueueEngine;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Runs tasks on the engine's threads. The engine is looked up at the first task, because beans that the engine uses, such
 * as interceptors, may inject the template. If the engine is unavailable, for example while the application closes,
 * tasks are rejected.
 */
final class EngineExecutor implements Executor {

    private final ObjectProvider<DelayQueueEngine> engines;
    private volatile @Nullable DelayQueueEngine engine;

    EngineExecutor(ObjectProvider<DelayQueueEngine> engines) {
        this.engines = engines;
    }

    @Override
    public void execute(Runnable task) {
        DelayQueueEngine present = engine;
        if (present == null) {
            present = find();
            engine = present;
        }
        present.execute(task);
    }

    private DelayQueueEngine find() {
        try {
            return engines.getObject();
        } catch (BeansException e) {
            throw new RejectedExecutionException("The delay queue engine is unavailable", e);
        }
    }
}
