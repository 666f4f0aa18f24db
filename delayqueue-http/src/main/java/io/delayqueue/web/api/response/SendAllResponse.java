package io.delayqueue.web.api.response;

import java.util.List;

/**
 * The results of sending several messages.
 *
 * @param results one result per message, in the order of the request
 */
public record SendAllResponse(List<SendResponse> results) {

    /** Copies the results. */
    public SendAllResponse {
        results = List.copyOf(results);
    }
}
