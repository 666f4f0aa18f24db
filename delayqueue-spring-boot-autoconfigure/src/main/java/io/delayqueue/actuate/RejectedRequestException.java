package io.delayqueue.actuate;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Thrown to reject a request. The message becomes the detail of the response. */
final class RejectedRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    private RejectedRequestException(int status, String sentence) {
        super(sentence, null, false, false);
        this.status = status;
    }

    static RejectedRequestException badRequest(String sentence) {
        return new RejectedRequestException(WebEndpointResponse.STATUS_BAD_REQUEST, sentence);
    }

    static RejectedRequestException notFound(String sentence) {
        return new RejectedRequestException(WebEndpointResponse.STATUS_NOT_FOUND, sentence);
    }

    int status() {
        return status;
    }
}
