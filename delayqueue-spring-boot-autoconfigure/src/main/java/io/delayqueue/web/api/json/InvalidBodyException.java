package io.delayqueue.web.api.json;

/** What a client sent can't be read. */
public final class InvalidBodyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With a sentence that names what is wrong and says what to write. */
    public InvalidBodyException(String sentence) {
        super(sentence, null, false, false);
    }
}
