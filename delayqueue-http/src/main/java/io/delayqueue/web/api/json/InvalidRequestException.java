package io.delayqueue.web.api.json;

import org.jspecify.annotations.Nullable;

/** The body, path or query of a request is invalid. The message says what is wrong and what to send instead. */
public final class InvalidRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String field;
    private final String sentence;

    /** Creates an exception with a complete sentence. */
    public InvalidRequestException(String sentence) {
        this(null, sentence, sentence);
    }

    private InvalidRequestException(@Nullable String field, String sentence, String message) {
        super(message, null, false, false);
        this.field = field;
        this.sentence = sentence;
    }

    /**
     * Creates an exception for a field of the body.
     *
     * @param field path of the field; empty for the whole body
     * @param predicate rest of the sentence that begins with the field
     */
    public static InvalidRequestException ofField(String field, String predicate) {
        String subject = field.isEmpty() ? "The body" : "The field '" + field + "'";
        return new InvalidRequestException(field, predicate, subject + " " + predicate);
    }

    /** Returns an exception with the path of the field's parent object prepended. */
    InvalidRequestException below(String path) {
        if (field == null || path.isEmpty()) {
            return this;
        }
        return ofField(field.isEmpty() ? path : path + "." + field, sentence);
    }
}
