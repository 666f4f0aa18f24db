package io.delayqueue.actuate.guard;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The response to a request that the guard rejects, or that the framework rejects with a status only. */
record Rejection(int status, String sentence) {

    static final String CONTENT_TYPE = "application/json";

    static final Rejection FOREIGN_PAGE =
            new Rejection(403, "Requests of pages of another origin must not change anything.");

    /** Rejects an action whose request an HTML form could have sent. */
    static final Rejection FORM =
            new Rejection(415, "An action requires a JSON body and the header Content-Type: application/json.");

    static final Rejection QUERY =
            new Rejection(400, "The parameters of an action must be in the JSON body, not in the query.");

    /** Explains a status of the framework; null if there is no explanation. */
    static @Nullable Rejection ofStatus(String method, int status) {
        boolean post = method.equals("POST");
        return switch (status) {
            case 400 ->
                post
                        ? new Rejection(
                                status,
                                "The body of an action must be a JSON object of strings and numbers, such as"
                                        + " {\\\"topic\\\": \\\"orders\\\", \\\"id\\\": \\\"4711\\\"}.")
                        : null;
            case 405 ->
                new Rejection(
                        status,
                        post
                                ? "Actions are disabled: set management.endpoint.delayqueue.access to unrestricted."
                                : "Views require GET, actions require POST.");
            case 415 -> FORM;
            default -> null;
        };
    }

    byte[] body() {
        return ("{\"detail\":\"" + sentence + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
