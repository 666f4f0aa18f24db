package io.delayqueue.sample.order;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** Thrown if an order does not exist. The response status is 404. */
public final class UnknownOrderException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    UnknownOrderException(String id) {
        super(
                HttpStatus.NOT_FOUND,
                ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no order " + id + "."),
                null);
    }
}
