package io.delayqueue.actuate.guard;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What to tell whom the guard refuses, or the framework, which says no more than a status. */
final class Explanation {

    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int UNSUPPORTED_MEDIA_TYPE = 415;

    static final String CONTENT_TYPE = "application/json";

    private static final String POST = "POST";

    private Explanation() {}

    /** Whoever gets it has sent what a browser sends for a foreign page. */
    static byte[] ofForeignPage() {
        return json("A page of another host may change nothing here.");
    }

    /** Whoever gets it has sent what a form may send. */
    static byte[] ofForm() {
        return json("An action takes a JSON body, sent with the header Content-Type: application/json.");
    }

    /** Whoever gets it has named in the query what an action is to be done to. */
    static byte[] ofQuery() {
        return json("An action takes its parameters in the JSON body, but none in the query.");
    }

    /** What to say of the framework's refusal; null where there is nothing to add to its status. */
    static byte @Nullable [] ofStatus(String method, int status) {
        if (status == BAD_REQUEST && method.equals(POST)) {
            return json("An action takes one JSON object of texts and numbers, such as"
                    + " {\\\"topic\\\": \\\"orders\\\", \\\"id\\\": \\\"4711\\\"}.");
        }
        if (status == METHOD_NOT_ALLOWED) {
            return method.equals(POST)
                    ? json("Nothing may be changed here: see management.endpoint.delayqueue.access.")
                    : json("Views are asked for by GET, actions by POST.");
        }
        return status == UNSUPPORTED_MEDIA_TYPE ? ofForm() : null;
    }

    private static byte[] json(String sentence) {
        return ("{\"error\":\"" + sentence + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
