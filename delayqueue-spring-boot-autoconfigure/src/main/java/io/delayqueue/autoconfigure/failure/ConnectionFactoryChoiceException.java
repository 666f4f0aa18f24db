package io.delayqueue.autoconfigure.failure;

import java.util.List;

/** Thrown if the delay queue finds no Redis connection factory, or several without a primary or marked one. */
public final class ConnectionFactoryChoiceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> names;

    /** @param names the names of the candidate beans */
    public ConnectionFactoryChoiceException(List<String> names) {
        super(
                names.isEmpty()
                        ? "The delay queue requires a bean of type RedisConnectionFactory, but none was found."
                        : "The delay queue requires a single bean of type RedisConnectionFactory, but several"
                                + " were found: "
                                + String.join(", ", names) + ".");
        this.names = List.copyOf(names);
    }

    List<String> names() {
        return names;
    }
}
