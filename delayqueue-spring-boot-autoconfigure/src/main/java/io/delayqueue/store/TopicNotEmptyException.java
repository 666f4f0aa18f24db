package io.delayqueue.store;

/** A topic was to be deleted, but holds messages or dead letters. It is as it was. */
public final class TopicNotEmptyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /**
     * With what stands in its way.
     *
     * @param messages scheduled, ready or leased
     * @param letters dead letters
     */
    public TopicNotEmptyException(String topic, long messages, long letters) {
        super("Topic " + topic + " cannot be deleted: it holds " + counted(messages, "message") + " and "
                + counted(letters, "dead letter") + ". Handle or cancel, replay or purge them first.");
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
