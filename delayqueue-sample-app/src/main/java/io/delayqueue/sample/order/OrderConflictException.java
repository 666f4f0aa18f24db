package io.delayqueue.sample.order;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** Thrown if the status of an order does not permit the request. The response status is 409. */
public final class OrderConflictException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param detail the reason as a sentence for the customer
     */
    public OrderConflictException(String detail) {
        super(HttpStatus.CONFLICT, ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, detail), null);
    }
}
