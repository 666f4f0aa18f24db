package io.delayqueue.web.compat;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Told when an asynchronous request has ended, in whatever way; ends one that timed out. */
record EndListener(Runnable end) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
        end.run();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end.run();
        AnswerWriter.end(event.getAsyncContext());
    }

    @Override
    public void onError(AsyncEvent event) {
        end.run();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // nobody starts it again
    }
}
