package io.delayqueue.metrics.observation;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Has each log line of a handler say by itself which message it is about: while the handler runs, SLF4J's MDC holds topic,
 * id and attempt. What was there before comes back. Of a batch only the topic is there, since id and attempt are several.
 * What an asynchronous handler does on other threads doesn't have them. Thread-safe.
 */
public final class LoggingContext implements DeliveryInterceptor {

    /** The topic. */
    public static final String TOPIC = "delayqueue.topic";

    /** The message's id; the letter's with a dead-letter listener. */
    public static final String ID = "delayqueue.id";

    /** Which attempt it is, from 1. */
    public static final String ATTEMPT = "delayqueue.attempt";

    @Override
    public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
        Delivery first = deliveries.get(0);
        boolean single = deliveries.size() == 1;
        String topic = replace(TOPIC, first.topic());
        String id = replace(ID, single ? first.id() : null);
        String attempt = replace(ATTEMPT, single ? Integer.toString(first.attempt()) : null);
        try {
            return next.proceed();
        } finally {
            set(TOPIC, topic);
            set(ID, id);
            set(ATTEMPT, attempt);
        }
    }

    private static @Nullable String replace(String key, @Nullable String value) {
        String before = MDC.get(key);
        set(key, value);
        return before;
    }

    private static void set(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}
