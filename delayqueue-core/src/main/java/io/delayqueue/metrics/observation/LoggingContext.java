package io.delayqueue.metrics.observation;

import io.delayqueue.Internal;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.Printable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Sets the topic, id and attempt in SLF4J's MDC while a handler runs, so that its log lines name the message. Then the
 * previous MDC is restored, also without values that the handler set. For a batch only the topic is set, because id and attempt differ. Control characters in
 * topics and ids are escaped. Other threads of an asynchronous handler do not have the values. Thread-safe.
 */
@Internal
public final class LoggingContext implements DeliveryInterceptor {

    /** The topic. */
    public static final String TOPIC = "delayqueue.topic";

    /** The id of the message, or of the dead letter for a dead-letter listener. */
    public static final String ID = "delayqueue.id";

    /** The number of the attempt, 1 or more. */
    public static final String ATTEMPT = "delayqueue.attempt";

    @Override
    public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
        Delivery first = deliveries.get(0);
        boolean single = deliveries.size() == 1;
        Map<String, String> before = MDC.getCopyOfContextMap();
        MDC.put(TOPIC, Printable.of(first.topic()));
        set(ID, single ? Printable.of(first.id()) : null);
        set(ATTEMPT, single ? Integer.toString(first.attempt()) : null);
        try {
            return next.proceed();
        } finally {
            if (before == null) {
                MDC.clear();
            } else {
                MDC.setContextMap(before);
            }
        }
    }

    private static void set(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}
