package io.delayqueue.web.api.json;

/**
 * A value in a body.
 *
 * @param kind what it is
 * @param raw as it was written
 * @param text of a text, what it says; else as it was written
 */
record Element(Kind kind, String raw, String text) {

    private static final int MAX_QUOTED = 100;

    /** What JSON has. */
    enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        NULL,
        OBJECT,
        ARRAY
    }

    boolean isNull() {
        return kind == Kind.NULL;
    }

    /** To be named in a sentence. */
    String quoted() {
        if (raw.length() <= MAX_QUOTED) {
            return raw;
        }
        int end = Character.isHighSurrogate(raw.charAt(MAX_QUOTED - 1)) ? MAX_QUOTED - 1 : MAX_QUOTED;
        return raw.substring(0, end) + "…";
    }
}
