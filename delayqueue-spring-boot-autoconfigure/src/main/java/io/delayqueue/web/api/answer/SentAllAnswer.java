package io.delayqueue.web.api.answer;

import java.util.List;

/**
 * What became of many messages.
 *
 * @param results in the order of the messages
 */
public record SentAllAnswer(List<SentAnswer> results) {

    /** Copies them. */
    public SentAllAnswer {
        results = List.copyOf(results);
    }
}
