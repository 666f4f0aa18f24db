package io.delayqueue.actuate;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Ends a request with a status and a sentence. */
final class NotAnsweredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    private NotAnsweredException(int status, String sentence) {
        super(sentence, null, false, false);
        this.status = status;
    }

    static NotAnsweredException badRequest(String sentence) {
        return new NotAnsweredException(WebEndpointResponse.STATUS_BAD_REQUEST, sentence);
    }

    static NotAnsweredException notFound(String sentence) {
        return new NotAnsweredException(WebEndpointResponse.STATUS_NOT_FOUND, sentence);
    }

    int status() {
        return status;
    }
}
