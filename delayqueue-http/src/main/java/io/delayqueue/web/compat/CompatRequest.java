package io.delayqueue.web.compat;

import java.util.Locale;

/**
 * A request of a client. Missing fields are empty or 0, as in Go. Strings are trimmed.
 *
 * @param delay time until the job is due, in seconds
 * @param ttr time to run, in seconds
 */
record CompatRequest(String topic, String id, long delay, long ttr, String body) {

    /** The fields of requests. */
    enum Field {
        TOPIC,
        ID,
        DELAY,
        TTR,
        BODY;

        private final String key = name().toLowerCase(Locale.ROOT);

        String key() {
            return key;
        }

        boolean isNumber() {
            return this == DELAY || this == TTR;
        }
    }
}
