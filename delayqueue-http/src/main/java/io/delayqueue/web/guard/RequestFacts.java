package io.delayqueue.web.guard;

import io.delayqueue.management.guard.Client;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The operation, the client and the rejection of a request. They are kept in its attributes. */
public final class RequestFacts {

    /** The operation of a request that no interface handled, such as one that the application's security rejected. */
    public static final String NO_OPERATION = "none";

    private static final String OPERATION = RequestFacts.class.getName() + ".operation";
    private static final String CLIENT = RequestFacts.class.getName() + ".client";
    private static final String REJECTION = RequestFacts.class.getName() + ".rejection";

    private RequestFacts() {}

    static void operation(HttpServletRequest request, String operation) {
        request.setAttribute(OPERATION, operation);
    }

    static void client(HttpServletRequest request, Client client) {
        request.setAttribute(CLIENT, client);
    }

    /** Sets the reason for which the request is rejected. */
    public static void rejection(HttpServletRequest request, RejectionReason reason) {
        request.setAttribute(REJECTION, reason);
    }

    /** Returns the operation, or {@link #NO_OPERATION}. */
    public static String operation(HttpServletRequest request) {
        return (String) Objects.requireNonNullElse(request.getAttribute(OPERATION), NO_OPERATION);
    }

    /** Returns the client; null if it is not known. */
    public static @Nullable Client client(HttpServletRequest request) {
        return (Client) request.getAttribute(CLIENT);
    }

    /** Returns the reason for which the request was rejected; null if it was not. */
    public static @Nullable RejectionReason rejection(HttpServletRequest request) {
        return (RejectionReason) request.getAttribute(REJECTION);
    }
}
