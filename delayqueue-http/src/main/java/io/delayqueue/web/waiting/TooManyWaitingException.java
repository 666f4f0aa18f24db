package io.delayqueue.web.waiting;

/** The maximum number of clients already waits on this node. */
public final class TooManyWaitingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooManyWaitingException(int maxWaiting) {
        super("The maximum number of clients (delayqueue.http.max-waiting, " + maxWaiting
                + ") already waits on this node." + " Retry later, or use another node.");
    }
}
