package io.delayqueue.compatibility.migration;

import java.util.List;
import java.util.Map;

/** An application that uses another library, with the queue {@code orders}. */
interface OldQueue extends AutoCloseable {

    /** The queue's name, and that of the topic that replaces it. */
    String NAME = "orders";

    /** Stores messages: number → due time in milliseconds. */
    void store(Map<String, Long> dueTimes);

    /** What its consumer has handled so far. */
    List<Handled> handled();

    /** The due times of what it has stored and that is not due for long, in order. */
    List<Long> laterThan(long millis);

    /** Ends the application. What it has stored stays. */
    @Override
    void close();

    /** A call of a handler. */
    record Handled(String number, long at) {}
}
