package io.delayqueue.sample.outbox;

import io.delayqueue.message.DelayMessage;
import java.time.Instant;
import java.util.List;

/** What a feature has stored about messages that should have done their work by now. */
public interface Outbox {

    /**
     * The messages, built anew from what is stored, of whatever should have been done before a date and isn't. Each has
     * the id that it was first sent with.
     *
     * @return at most some hundreds
     */
    List<DelayMessage> overdue(Instant before);
}
