package io.delayqueue.metrics.observation;

import io.delayqueue.Internal;
import io.delayqueue.listener.Delivery;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;

/**
 * Starts a new trace for {@linkplain DelayQueueProcessContext#linked() linked} handling, with a link to each sender's
 * span. It must precede the handler that continues a sender's trace. Thread-safe.
 */
@Internal
public final class LinkingTracingHandler implements TracingObservationHandler<DelayQueueProcessContext> {

    private final Tracer tracer;

    /** Creates the handler. */
    public LinkingTracingHandler(Tracer tracer) {
        this.tracer = tracer;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof DelayQueueProcessContext process && process.linked();
    }

    @Override
    public void onStart(DelayQueueProcessContext context) {
        Span.Builder span = tracer.spanBuilder().setNoParent().kind(Span.Kind.CONSUMER);
        SenderTrace.links(tracer, context.deliveries().stream().map(Delivery::headers))
                .forEach(span::addLink);
        getTracingContext(context).setSpan(span.start());
    }

    @Override
    public void onStop(DelayQueueProcessContext context) {
        Span span = getRequiredSpan(context);
        tagSpan(context, span);
        span.name(getSpanName(context));
        endSpan(context, span);
    }

    @Override
    public Tracer getTracer() {
        return tracer;
    }
}
