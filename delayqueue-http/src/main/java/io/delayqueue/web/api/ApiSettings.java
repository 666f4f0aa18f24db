package io.delayqueue.web.api;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.util.List;

/**
 * Settings of the HTTP API.
 *
 * @param basePath prefix of all paths, without a trailing slash
 * @param maxWait maximum time for which a client may wait for messages
 * @param maxCount maximum number of messages that a client may send, receive or settle in one request
 */
public record ApiSettings(String basePath, Duration maxWait, int maxCount) {

    /**
     * Checks the number of messages or settlements in a request.
     *
     * @throws InvalidRequestException if the list has more elements than {@link #maxCount}
     */
    void checkSize(String field, List<?> elements) {
        if (elements.size() > maxCount) {
            throw InvalidRequestException.ofField(
                    field,
                    "must have at most " + maxCount + " elements (delayqueue.http.api.max-count), but had "
                            + elements.size() + ".");
        }
    }
}
