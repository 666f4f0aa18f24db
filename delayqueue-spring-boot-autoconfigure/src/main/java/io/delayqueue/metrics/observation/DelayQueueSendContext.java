package io.delayqueue.metrics.observation;

import io.delayqueue.message.SendResult;
import io.delayqueue.template.SendInterceptor.Sending;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A send that is observed. What a propagator writes becomes headers of the message. */
public final class DelayQueueSendContext extends SenderContext<Sending> {

    private final Sending sending;
    private volatile @Nullable SendResult result;

    /** Of a message on its way. */
    public DelayQueueSendContext(Sending sending) {
        super((carrier, name, value) -> Objects.requireNonNull(carrier).header(name, value), Kind.PRODUCER);
        this.sending = sending;
        setCarrier(sending);
    }

    /** The message on its way. */
    public Sending sending() {
        return sending;
    }

    /** What became of it, null while that isn't known. */
    public @Nullable SendResult result() {
        return result;
    }

    void setResult(@Nullable SendResult result) {
        this.result = result;
    }
}
