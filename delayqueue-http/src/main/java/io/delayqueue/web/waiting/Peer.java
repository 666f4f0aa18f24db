package io.delayqueue.web.waiting;

/**
 * The client at the other end of a connection. May be called only while the request waits and no thread reads from or
 * writes to the connection. Not thread-safe.
 */
@FunctionalInterface
interface Peer {

    /**
     * Returns whether the client has closed the connection. A half-closed connection counts as closed, as in Go's HTTP
     * server: a client that waits for a response keeps it open.
     */
    boolean isDisconnected();
}
