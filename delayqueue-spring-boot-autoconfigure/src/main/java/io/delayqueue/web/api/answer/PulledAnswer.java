package io.delayqueue.web.api.answer;

import java.util.List;

/**
 * Due messages.
 *
 * @param messages none if none was due in time
 */
public record PulledAnswer(List<DeliveryAnswer> messages) {

    /** Copies them. */
    public PulledAnswer {
        messages = List.copyOf(messages);
    }
}
