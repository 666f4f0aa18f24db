package io.delayqueue.sample.order;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** The order doesn't stand where it would have to for what was asked. Answered as 409. */
public final class OrderConflictException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    /**
     * With the reason.
     *
     * @param detail a sentence for the customer
     */
    public OrderConflictException(String detail) {
        super(HttpStatus.CONFLICT, ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, detail), null);
    }
}
