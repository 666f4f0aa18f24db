package io.delayqueue.web.waiting;

import io.delayqueue.management.guard.Client;
import io.delayqueue.message.DurationText;
import java.time.Duration;

/** The body of a request did not arrive in time, or too many bodies of the client arrive slowly. */
public final class SlowBodyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private SlowBodyException(String sentence) {
        super(sentence, null, false, false);
    }

    static SlowBodyException ofTimeout(Duration timeout) {
        return new SlowBodyException("The body did not arrive within " + DurationText.of(timeout)
                + " (delayqueue.http.body-timeout). Nothing changed. Send smaller bodies, and each body at once.");
    }

    static SlowBodyException ofClient(Client client, int maxSlow) {
        return new SlowBodyException("The body did not arrive at once, and " + maxSlow + " other bodies of client '"
                + client.name() + "' arrive slowly on this node (delayqueue.http.max-slow-bodies). Nothing changed."
                + " Send each body at once, or repeat the request later.");
    }
}
