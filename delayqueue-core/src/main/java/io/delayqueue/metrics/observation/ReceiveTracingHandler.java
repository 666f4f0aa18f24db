package io.delayqueue.metrics.observation;

import io.delayqueue.Internal;
import io.delayqueue.template.receive.LeasedDelivery;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * Traces receive calls. The span is in the caller's trace and has a link to the span of each received message's sender.
 * Links can only be added before a span starts, so the span is created when the result is known, with the time of the
 * call as its start. It must precede the default handler. Thread-safe.
 */
@Internal
public final class ReceiveTracingHandler implements TracingObservationHandler<DelayQueueReceiveContext> {

    private final Tracer tracer;
    private final InstantSource clock;

    /**
     * Creates the handler.
     *
     * @param clock the clock of spans
     */
    public ReceiveTracingHandler(Tracer tracer, InstantSource clock) {
        this.tracer = tracer;
        this.clock = clock;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof DelayQueueReceiveContext;
    }

    @Override
    public void onStart(DelayQueueReceiveContext context) {
        context.put(Instant.class, clock.instant());
        Span parent = getParentSpan(context);
        // until the result is known, the context has the caller's span; exemplars of timers refer to it
        getTracingContext(context).setSpan(parent);
    }

    @Override
    public void onError(DelayQueueReceiveContext context) {
        // the context has the caller's span, to which the error does not belong
    }

    @Override
    public void onStop(DelayQueueReceiveContext context) {
        Instant start = context.getRequired(Instant.class);
        Span parent = getTracingContext(context).getSpan();
        Span.Builder builder = tracer.spanBuilder()
                .kind(Span.Kind.CLIENT)
                .startTimestamp(ChronoUnit.NANOS.between(Instant.EPOCH, start), TimeUnit.NANOSECONDS);
        if (parent == null) {
            builder.setNoParent();
        } else {
            builder.setParent(parent.context());
        }
        SenderTrace.links(tracer, context.deliveries().stream().map(LeasedDelivery::headers))
                .forEach(builder::addLink);
        Span span = builder.start();
        Throwable error = context.getError();
        if (error != null) {
            span.error(error);
        }
        tagSpan(context, span);
        span.name(getSpanName(context));
        span.end();
    }

    @Override
    public Tracer getTracer() {
        return tracer;
    }
}
