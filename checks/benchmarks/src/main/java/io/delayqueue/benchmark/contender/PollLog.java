package io.delayqueue.benchmark.contender;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.store.Claim;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** The polls of the product and the messages that each claimed. Observes the product's store. Thread-safe. */
public final class PollLog implements BeanPostProcessor {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MICROS_PER_MILLI = 1e3;

    private final Map<String, Poll> byPayload = new ConcurrentHashMap<>();

    /**
     * A poll. Times are in milliseconds since 1970.
     *
     * @param request the consumer and the sequence number, which Redis gets as arguments
     * @param sent when the listener requested the poll
     * @param started when Redis started the script
     * @param replied when the reply was read
     */
    public record Poll(String request, double sent, double started, double replied) {

        /** Identifies a poll. */
        public static String request(String consumer, String sequence) {
            return consumer + " " + sequence;
        }
    }

    /** The poll that claimed a message, or null. */
    public @Nullable Poll of(String payload) {
        return byPayload.get(payload);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof MessageStore store ? observed(store) : bean;
    }

    private MessageStore observed(MessageStore store) {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> {
                    double sent = now();
                    Object result;
                    try {
                        result = method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    return method.getName().equals("poll") && (boolean) arguments[2]
                            ? observed((CompletableFuture<?>) result, (PollRequest) arguments[1], sent)
                            : result;
                });
    }

    /** The caller gets the result after it was recorded. */
    private CompletableFuture<?> observed(CompletableFuture<?> result, PollRequest request, double sent) {
        return result.thenApply(reply -> {
            double replied = now();
            PollReply read = (PollReply) ((Optional<?>) reply).orElseThrow();
            Poll poll = new Poll(
                    Poll.request(request.consumer(), Long.toString(request.sequence())),
                    sent,
                    read.nowMicros() / MICROS_PER_MILLI,
                    replied);
            for (Claim claim : read.claims()) {
                byPayload.put(new String(claim.envelope().payload(), UTF_8), poll);
            }
            return reply;
        });
    }

    private static double now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1e3 + now.getNano() / NANOS_PER_MILLI;
    }
}
