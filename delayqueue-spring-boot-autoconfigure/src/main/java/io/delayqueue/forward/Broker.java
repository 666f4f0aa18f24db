package io.delayqueue.forward;

/** A broker as the application reaches it. Thread-safe. */
public interface Broker extends AutoCloseable {

    /**
     * Makes what forwards by a route. Connects to nobody: the broker may come later.
     *
     * @throws IllegalArgumentException if it can't serve the route, in a sentence that begins with the name of what is
     *     wrong: {@code destination}, {@code routingKey}, {@code to} and so on
     */
    Forwarder open(Route route);

    /** Gives back what was opened for forwarding, and nothing of the application's. */
    @Override
    void close();
}
