package io.delayqueue.web.compat;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Calls an action when an asynchronous request ends for any reason. Completes a request that timed out. */
record EndListener(Runnable end) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
        end.run();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end.run();
        ResponseWriter.end(event.getAsyncContext());
    }

    @Override
    public void onError(AsyncEvent event) {
        end.run();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // requests are started once only
    }
}
