package io.delayqueue.web.waiting;

import io.delayqueue.management.guard.Client;

/** The maximum number of clients, or of requests of one client, already waits on this node. */
public final class TooManyWaitingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private TooManyWaitingException(String sentence) {
        super(sentence);
    }

    static TooManyWaitingException ofNode(int maxWaiting) {
        return new TooManyWaitingException("The maximum number of clients (delayqueue.http.max-waiting, " + maxWaiting
                + ") already waits on this node. Retry later, or use another node.");
    }

    static TooManyWaitingException ofClient(Client client) {
        return new TooManyWaitingException("The maximum number of requests of client '" + client.name()
                + "' (delayqueue.http.clients." + client.name() + ".max-waiting, " + client.maxWaiting()
                + ") already waits on this node. Retry later, or use another node.");
    }
}
