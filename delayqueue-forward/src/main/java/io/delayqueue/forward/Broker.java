package io.delayqueue.forward;

/** A message broker to which messages are forwarded. Thread-safe. */
public interface Broker extends AutoCloseable {

    /**
     * Creates the forwarder of a route. Does not connect to the broker, which may start later.
     *
     * @throws io.delayqueue.message.InvalidOptionException if the route is invalid for this broker, with the name of
     *     the invalid option, such as {@code destination}, {@code routingKey} or {@code to}
     */
    Forwarder open(Route route);

    /** Closes the resources that were opened for forwarding. Resources of the application stay open. */
    @Override
    void close();
}
