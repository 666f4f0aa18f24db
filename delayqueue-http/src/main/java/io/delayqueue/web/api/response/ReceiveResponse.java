package io.delayqueue.web.api.response;

import java.util.List;

/**
 * Received messages.
 *
 * @param messages empty if no message became due in time
 */
public record ReceiveResponse(List<DeliveryResponse> messages) {

    /** Copies the messages. */
    public ReceiveResponse {
        messages = List.copyOf(messages);
    }
}
