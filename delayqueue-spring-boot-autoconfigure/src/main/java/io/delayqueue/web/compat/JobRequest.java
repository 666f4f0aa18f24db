package io.delayqueue.web.compat;

/**
 * What a client asks for. What it didn't say is empty or 0, as in Go; text is trimmed.
 *
 * @param delay in seconds
 * @param ttr in seconds
 */
record JobRequest(String topic, String id, long delay, long ttr, String body) {

    /** A field of a request. */
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
