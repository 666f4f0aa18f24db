package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling;
import io.delayqueue.annotation.method.MethodListener;
import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.ListenerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Creates endpoints from annotations. */
final class EndpointReader {

    private final AttributeReader attributes;
    private final Origin origin;

    EndpointReader(AttributeReader attributes, Origin origin) {
        this.attributes = attributes;
        this.origin = origin;
    }

    /** The id of an annotation; empty if it is not set. */
    String id(String raw) {
        return attributes.text("id", raw);
    }

    DelayListenerEndpoint read(DelayListener annotation, String id, MethodListener method) {
        DelayListenerEndpoint.Builder endpoint = DelayListenerEndpoint.to(topic(annotation.topic()))
                .id(id)
                .handling(new Handling.OfMessages(method.payloadType(), method.batch(), method.handler()))
                .options(options(annotation, method.batch()));
        return build(endpoint, annotation.autoStartup(), annotation.containerFactory());
    }

    DelayListenerEndpoint read(DeadLetterListener annotation, String id, DeadLetterHandler handler) {
        Options options = new Options();
        options.add(ListenerOptions.Builder::concurrency, attributes.number("concurrency", annotation.concurrency()));
        DelayListenerEndpoint.Builder endpoint = DelayListenerEndpoint.to(topic(annotation.topic()))
                .id(id)
                .deadLetterHandler(handler)
                .options(options);
        return build(endpoint, annotation.autoStartup(), annotation.containerFactory());
    }

    private DelayListenerEndpoint build(
            DelayListenerEndpoint.Builder endpoint, String autoStartup, String containerFactory) {
        return endpoint.autoStartup(attributes.flag("autoStartup", autoStartup))
                .containerFactory(attributes.text("containerFactory", containerFactory))
                .origin(origin)
                .build();
    }

    private Options options(DelayListener annotation, boolean batch) {
        Integer batchSize = attributes.number("batchSize", annotation.batchSize());
        if (batchSize != null && !batch) {
            throw origin.invalid(
                    "It has a batchSize, but the method takes one message.",
                    "Take a List of payloads, or remove batchSize.");
        }
        List<Class<? extends Throwable>> notRetryable = List.of(annotation.notRetryable());
        return new Options()
                .add(ListenerOptions.Builder::batchSize, batchSize)
                .add(ListenerOptions.Builder::concurrency, attributes.number("concurrency", annotation.concurrency()))
                .add(ListenerOptions.Builder::lease, attributes.duration("lease", annotation.lease()))
                .add(ListenerOptions.Builder::maxAttempts, attributes.number("maxAttempts", annotation.maxAttempts()))
                .add(ListenerOptions.Builder::retryPolicy, attributes.retryPolicy("backoff", annotation.backoff()))
                .add(ListenerOptions.Builder::notRetryable, notRetryable.isEmpty() ? null : notRetryable)
                .add(
                        ListenerOptions.Builder::handlingTime,
                        attributes.duration("handlingTime", annotation.handlingTime()))
                .add(ListenerOptions.Builder::prefetch, attributes.number("prefetch", annotation.prefetch()))
                .add(
                        ListenerOptions.Builder::prefetchTime,
                        attributes.duration("prefetchTime", annotation.prefetchTime()))
                .add(ListenerOptions.Builder::drainTime, attributes.duration("drainTime", annotation.drainTime()));
    }

    private String topic(String raw) {
        String topic = attributes.text("topic", raw);
        if (topic.isEmpty()) {
            throw origin.invalid("Its topic is not set.", "Set the attribute topic.");
        }
        return topic;
    }

    /** The options that an annotation sets. */
    private static final class Options implements Consumer<ListenerOptions.Builder> {

        private final List<Consumer<ListenerOptions.Builder>> named = new ArrayList<>();

        <T> Options add(BiConsumer<ListenerOptions.Builder, T> setter, @Nullable T value) {
            if (value != null) {
                named.add(builder -> setter.accept(builder, value));
            }
            return this;
        }

        @Override
        public void accept(ListenerOptions.Builder builder) {
            named.forEach(option -> option.accept(builder));
        }
    }
}
