package io.delayqueue.management;

/** What a caller sees of the headers and the payload of a message. */
public enum Shown {
    /** All of it: a JSON payload as JSON, for programs that read it. */
    ALL,
    /** The headers and the beginning of the payload, as text or in Base64, for people. */
    BEGIN,
    /** The size of the payload. */
    SIZE
}
