package io.delayqueue.message;

import org.springframework.util.Assert;

/**
 * What similar dead letters have in common. The dead letters of one kind are a group.
 *
 * @param cause the stored name of the cause, see {@link DeadLetter#causeName()}
 * @param exceptionType class name of the last failure's exception, or a word such as {@code requested} if there was no
 *     exception; empty if no attempt failed
 * @param shape first line of the exception's message, cut to 200 bytes, with {@code ?} for quoted text and for words
 *     with digits; quoted text stays if nothing else has letters; may be empty
 */
public record DeadLetterKind(String cause, String exceptionType, String shape) {

    /** Checks that no component is null. */
    public DeadLetterKind {
        Assert.notNull(cause, "'cause' must not be null");
        Assert.notNull(exceptionType, "'exceptionType' must not be null");
        Assert.notNull(shape, "'shape' must not be null");
    }
}
