package io.delayqueue.store;

import io.delayqueue.message.Printable;

/** A topic was not deleted, because it holds messages or dead letters. It is unchanged. */
public final class TopicNotEmptyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param messages number of scheduled, ready and leased messages
     * @param deadLetters number of dead letters
     */
    public TopicNotEmptyException(String topic, long messages, long deadLetters) {
        super("Topic " + Printable.of(topic) + " cannot be deleted: it holds " + counted(messages, "message") + " and "
                + counted(deadLetters, "dead letter")
                + ". Handle or cancel its messages and replay or purge its dead letters first.");
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
