package io.delayqueue.web.compat;

/**
 * A request of a client. Missing fields are empty or 0, as in Go. Strings are trimmed.
 *
 * @param delay time until the job is due, in seconds
 * @param ttr time to run, in seconds
 */
record JobRequest(String topic, String id, long delay, long ttr, String body) {

    /** The fields of requests. */
    enum Field {
        TOPIC("topic"),
        ID("id"),
        DELAY("delay"),
        TTR("ttr"),
        BODY("body");

        private final String key;

        Field(String key) {
            this.key = key;
        }

        String key() {
            return key;
        }

        boolean isNumber() {
            return this == DELAY || this == TTR;
        }
    }
}
