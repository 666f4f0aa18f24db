package io.delayqueue.autoconfigure.http;

import io.delayqueue.web.api.Waits;
import org.springframework.context.SmartLifecycle;

/** At the application's end it answers who waits, before the web server begins to wait for its requests. */
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
