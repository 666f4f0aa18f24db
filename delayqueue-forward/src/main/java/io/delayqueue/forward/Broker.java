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

    /**
     * Whether a failed send means that the broker can take no message at present. Otherwise the broker rejected the
     * message itself.
     *
     * @param failure the failure of {@link Forwarder#forward}; not a common failure of connections, such as a refused one
     */
    default boolean isUnavailable(Throwable failure) {
        return false;
    }

    /**
     * Whether a forward may have many unconfirmed messages: they hold no threads, and the broker does not reject messages
     * because of their number. Then a forward has 64 unconfirmed messages by default.
     */
    default boolean isPipelined() {
        return false;
    }

    /** Closes the resources that were opened for forwarding. Resources of the application stay open. */
    @Override
    void close();
}
