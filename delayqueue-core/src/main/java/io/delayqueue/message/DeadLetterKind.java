package io.delayqueue.message;

import org.springframework.util.Assert;

/**
 * What dead letters of the same origin have in common.
 *
 * @param cause the stored name of the cause, see {@link DeadLetter#causeName()}
 * @param exceptionType class name of the last failure's exception, or its short word; empty if no attempt failed
 * @param shape start of the exception's message, with {@code ?} for quoted text and for words with digits; may be empty
 */
public record DeadLetterKind(String cause, String exceptionType, String shape) {

    /** Checks that no component is null. */
    public DeadLetterKind {
        Assert.notNull(cause, "'cause' must not be null");
        Assert.notNull(exceptionType, "'exceptionType' must not be null");
        Assert.notNull(shape, "'shape' must not be null");
    }
}
