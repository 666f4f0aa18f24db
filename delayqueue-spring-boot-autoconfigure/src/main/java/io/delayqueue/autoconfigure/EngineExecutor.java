package io.delayqueue.autoconfigure;

import io.delayqueue.container.DelayQueueEngine;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The engine's threads for what the engine itself is made of. While the application closes, nothing asks for beans any
 * more: what comes then is refused in the way of executors.
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
            throw new RejectedExecutionException("There is no engine, or no more", e);
        }
    }
}
