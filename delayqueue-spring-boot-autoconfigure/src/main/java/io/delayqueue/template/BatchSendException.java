package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some messages of a batch were not accepted; the others were, and stay. */
public final class BatchSendException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private static final int NAMED = 3;

    private final transient List<SendResult> results;

    /**
     * With every result.
     *
     * @param results in the order of the messages, at least one of them a {@link SendResult.Failed}
     */
    public BatchSendException(List<SendResult> results) {
        super(describe(results), cause(results));
        this.results = List.copyOf(results);
    }

    /** What became of each message, in their order. */
    public List<SendResult> results() {
        return results;
    }

    /** What became of those that were not accepted, in their order. */
    public List<SendResult.Failed> failed() {
        return failed(results);
    }

    private static List<SendResult.Failed> failed(List<SendResult> results) {
        return results.stream()
                .filter(SendResult.Failed.class::isInstance)
                .map(SendResult.Failed.class::cast)
                .toList();
    }

    private static String describe(List<SendResult> results) {
        List<SendResult.Failed> failed = failed(results);
        StringBuilder text = new StringBuilder()
                .append(failed.size())
                .append(" of ")
                .append(results.size())
                .append(" messages were not accepted:");
        failed.stream().limit(NAMED).forEach(result -> text.append(' ').append(describe(result)));
        return failed.size() > NAMED ? text.append(" ...").toString() : text.toString();
    }

    private static String describe(SendResult.Failed result) {
        String name = result.id() + " to " + result.topic();
        if (result instanceof SendResult.Refused refused) {
            return name + " (refused: " + refused.reason() + ")";
        }
        return result instanceof SendResult.Unknown ? name + " (outcome unknown)" : name + " (duplicate)";
    }

    private static @Nullable Throwable cause(List<SendResult> results) {
        return results.stream()
                .filter(SendResult.Unknown.class::isInstance)
                .map(result -> ((SendResult.Unknown) result).cause())
                .findFirst()
                .orElse(null);
    }
}
