package io.delayqueue.store;

/** A topic was to be deleted, but holds messages or dead letters. It is as it was. */
public final class TopicNotEmptyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String held;

    /**
     * With what stands in its way.
     *
     * @param messages scheduled, ready or leased
     * @param letters dead letters
     */
    public TopicNotEmptyException(String topic, long messages, long letters) {
        this(topic, counted(messages, "message") + " and " + counted(letters, "dead letter"));
    }

    private TopicNotEmptyException(String topic, String held) {
        super("Topic " + topic + " cannot be deleted: it holds " + held
                + ". Handle or cancel, replay or purge them first.");
        this.held = held;
    }

    /** What it holds, as in "2 messages and 1 dead letter". */
    public String held() {
        return held;
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
