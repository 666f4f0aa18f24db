package io.delayqueue.web.api.request;

import java.util.List;

/**
 * Sends several messages.
 *
 * @param messages 1 to delayqueue.http.api.max-count messages
 */
public record SendAllRequest(List<SendRequest> messages) implements ApiRequest {

    /** Copies the messages. */
    public SendAllRequest {
        messages = ApiRequest.nonEmpty("messages", messages);
    }
}
