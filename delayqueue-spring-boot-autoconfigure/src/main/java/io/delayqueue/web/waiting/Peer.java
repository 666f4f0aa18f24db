package io.delayqueue.web.waiting;

/**
 * The client at the other end of a request's connection. To be asked only while the request is waiting: neither being read
 * from nor written to by anybody. Not thread-safe.
 */
@FunctionalInterface
interface Peer {

    /**
     * Whether the client has closed its end. What it only half closed counts as closed, as it does to Go's server: whoever
     * waits for an answer keeps it open.
     */
    boolean hasHungUp();
}
