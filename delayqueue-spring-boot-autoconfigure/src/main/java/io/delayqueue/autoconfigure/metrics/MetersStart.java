package io.delayqueue.autoconfigure.metrics;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.metrics.TopicGauges;
import org.springframework.context.SmartLifecycle;

/** Registers the meters of all listeners before the first listener starts, even if beans are lazy. */
final class MetersStart implements SmartLifecycle {

    private final TopicGauges gauges;
    private volatile boolean running;

    MetersStart(TopicGauges gauges) {
        this.gauges = gauges;
    }

    @Override
    public void start() {
        gauges.begin();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return DelayListenerRegistry.PHASE - 1;
    }
}
