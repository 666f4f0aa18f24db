package io.delayqueue.actuate.guard;

import io.delayqueue.management.guard.AllowedHosts;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The response to a request that the guard rejects, or that the framework rejects with a status only.
 *
 * @param sentence the reason, with quotes escaped for JSON
 */
record RejectionResponse(int status, String sentence) {

    static final String CONTENT_TYPE = "application/json";

    static final RejectionResponse CROSS_SITE =
            new RejectionResponse(403, "Requests of pages of another origin must not change anything.");

    static final RejectionResponse UNKNOWN_HOST = new RejectionResponse(403, AllowedHosts.SENTENCE);

    /** Rejects an action whose request an HTML form could have sent. */
    static final RejectionResponse NOT_JSON =
            new RejectionResponse(415, "An action requires a JSON body and the header Content-Type: application/json.");

    static final RejectionResponse QUERY_PARAMETERS =
            new RejectionResponse(400, "The parameters of an action must be in the JSON body, not in the query.");

    /** Explains a status of the framework; null if there is no explanation. */
    static @Nullable RejectionResponse ofStatus(String method, int status) {
        boolean post = method.equals("POST");
        return switch (status) {
            case 400 ->
                post
                        ? new RejectionResponse(
                                status,
                                "The body of an action must be a JSON object of strings and numbers, such as"
                                        + " {\\\"topic\\\": \\\"orders\\\", \\\"id\\\": \\\"4711\\\"}.")
                        : null;
            case 405 ->
                new RejectionResponse(
                        status,
                        post
                                ? "Actions are disabled: set management.endpoint.delayqueue.access to unrestricted."
                                : "Views require GET, actions require POST.");
            case 415 -> NOT_JSON;
            default -> null;
        };
    }

    byte[] body() {
        return ("{\"detail\":\"" + sentence + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
