package io.delayqueue.actuate.guard;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The bodies of responses to requests that the guard rejects, or that the framework rejects with a status only. */
final class Explanation {

    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int UNSUPPORTED_MEDIA_TYPE = 415;

    static final String CONTENT_TYPE = "application/json";

    private static final String POST = "POST";

    private Explanation() {}

    /** Explains the rejection of a browser's request for a page of another origin. */
    static byte[] ofForeignPage() {
        return json("Requests of pages of another origin must not change anything.");
    }

    /** Explains the rejection of a request that an HTML form could have sent. */
    static byte[] ofForm() {
        return json("An action requires a JSON body and the header Content-Type: application/json.");
    }

    /** Explains the rejection of an action with parameters in the query. */
    static byte[] ofQuery() {
        return json("The parameters of an action must be in the JSON body, not in the query.");
    }

    /** Explains a status of the framework; null if there is no explanation. */
    static byte @Nullable [] ofStatus(String method, int status) {
        if (status == BAD_REQUEST && method.equals(POST)) {
            return json("The body of an action must be a JSON object of strings and numbers, such as"
                    + " {\\\"topic\\\": \\\"orders\\\", \\\"id\\\": \\\"4711\\\"}.");
        }
        if (status == METHOD_NOT_ALLOWED) {
            return method.equals(POST)
                    ? json("Actions are disabled: set management.endpoint.delayqueue.access to unrestricted.")
                    : json("Views require GET, actions require POST.");
        }
        return status == UNSUPPORTED_MEDIA_TYPE ? ofForm() : null;
    }

    private static byte[] json(String sentence) {
        return ("{\"detail\":\"" + sentence + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
