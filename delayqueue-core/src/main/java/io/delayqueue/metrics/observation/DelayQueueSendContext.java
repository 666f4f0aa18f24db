package io.delayqueue.metrics.observation;

import io.delayqueue.message.SendResult;
import io.delayqueue.template.SendInterceptor.Sending;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The context of a {@link DelayQueueObservation#SEND} observation. A propagator writes the trace to headers of the
 * message.
 */
public final class DelayQueueSendContext extends SenderContext<Sending> {

    private final Sending sending;
    private volatile @Nullable SendResult result;

    /** Creates the context. */
    public DelayQueueSendContext(Sending sending) {
        super((carrier, name, value) -> Objects.requireNonNull(carrier).header(name, value), Kind.PRODUCER);
        this.sending = sending;
        setCarrier(sending);
    }

    /** The message that is sent. */
    public Sending sending() {
        return sending;
    }

    /** The result of the send; null until it is known. */
    public @Nullable SendResult result() {
        return result;
    }

    void setResult(@Nullable SendResult result) {
        this.result = result;
    }
}
