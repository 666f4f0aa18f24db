package io.delayqueue.autoconfigure.failure;

import java.util.List;

/** There is no Redis connection factory for the delay queue, or several and no choice among them. */
public final class ConnectionFactoryChoiceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> names;

    /** With the beans there are, or, where several are marked, those that are. */
    public ConnectionFactoryChoiceException(List<String> names) {
        super(
                names.isEmpty()
                        ? "The delay queue needs a RedisConnectionFactory, but there is no such bean."
                        : "The delay queue needs one RedisConnectionFactory, but there are several: "
                                + String.join(", ", names) + ".");
        this.names = List.copyOf(names);
    }

    List<String> names() {
        return names;
    }
}
