package io.delayqueue.actuate;

import io.delayqueue.message.Printable;
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

    static RejectedRequestException forbidden(String sentence) {
        return new RejectedRequestException(403, sentence);
    }

    static RejectedRequestException notFound(String sentence) {
        return new RejectedRequestException(WebEndpointResponse.STATUS_NOT_FOUND, sentence);
    }

    static RejectedRequestException noTopic(String topic) {
        return notFound("There is no topic '" + Printable.of(topic) + "'.");
    }

    static RejectedRequestException noMessage(String topic, String id) {
        return notFound("There is no live message '" + Printable.of(id) + "' in topic '" + Printable.of(topic) + "'.");
    }

    static RejectedRequestException noSchedule(String topic, String id) {
        return notFound("There is no schedule '" + Printable.of(id) + "' in topic '" + Printable.of(topic) + "'.");
    }

    static RejectedRequestException noDeadLetter(String topic, String deadLetter) {
        return notFound(
                "There is no dead letter '" + Printable.of(deadLetter) + "' in topic '" + Printable.of(topic) + "'.");
    }

    int status() {
        return status;
    }
}
