package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.util.List;

/**
 * Messages to be sent.
 *
 * @param messages in their order
 */
public record SendAllRequest(List<SendRequest> messages) implements ApiRequest {

    /** The most that any configuration allows. */
    public static final int MAX = 500;

    /** Copies them. */
    public SendAllRequest {
        messages = List.copyOf(messages);
    }

    static SendAllRequest read(Fields fields) {
        SendAllRequest request = new SendAllRequest(
                fields.objects("messages", MAX).stream().map(SendRequest::read).toList());
        fields.end();
        return request;
    }
}
