package io.delayqueue.web.waiting;

/** As many clients wait on this node as may. */
public final class TooManyWaitingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooManyWaitingException(int most) {
        super(most + " clients wait on this node already, which is as many as delayqueue.http.max-waiting allows."
                + " Come again later, or ask another node.");
    }
}
