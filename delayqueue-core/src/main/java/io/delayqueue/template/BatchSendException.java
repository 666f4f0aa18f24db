package io.delayqueue.template;

import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Some messages of a batch were not accepted. The others are stored. */
public final class BatchSendException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private static final int NAMED = 3;

    private final transient List<SendResult> results;

    /**
     * Creates the exception.
     *
     * @param results all results, in the order of the messages, at least one of them a {@link SendResult.Failed}
     */
    public BatchSendException(List<SendResult> results) {
        super(describe(results), cause(results));
        this.results = List.copyOf(results);
    }

    /** All results, in the order of the messages. */
    public List<SendResult> results() {
        return results;
    }

    /** The results of the messages that were not accepted, in the order of the messages. */
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
        String name = Printable.of(result.id()) + " to " + Printable.of(result.topic());
        if (result instanceof SendResult.Rejected rejected) {
            return name + " (rejected: " + rejected.detail() + ")";
        }
        return result instanceof SendResult.Unknown ? name + " (outcome unknown)" : name + " (duplicate)";
    }

    private static @Nullable Throwable cause(List<SendResult> results) {
        return results.stream()
                .filter(SendResult.Unknown.class::isInstance)
                .map(result -> ((SendResult.Unknown) result).cause())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
