package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.util.List;

/**
 * Sends several messages.
 *
 * @param messages 1 to delayqueue.http.api.max-count messages
 */
public record SendAllRequest(List<SendRequest> messages) implements ApiRequest {

    /** Copies the messages. */
    public SendAllRequest {
        if (messages == null || messages.isEmpty()) {
            throw InvalidRequestException.ofField(
                    "messages",
                    messages == null ? "is required. Set an array of messages." : "must have at least one message.");
        }
        messages = List.copyOf(messages);
    }
}
