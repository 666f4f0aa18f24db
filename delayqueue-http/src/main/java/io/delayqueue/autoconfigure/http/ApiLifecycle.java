package io.delayqueue.autoconfigure.http;

import io.delayqueue.web.api.Waits;
import org.springframework.context.SmartLifecycle;

/** On shutdown, responds to waiting clients before the web server waits for its active requests. */
final class ApiLifecycle implements SmartLifecycle {

    private final Waits waits;
    private volatile boolean running;

    ApiLifecycle(Waits waits) {
        this.waits = waits;
    }

    @Override
    public void start() {
        waits.resume();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        waits.end();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
