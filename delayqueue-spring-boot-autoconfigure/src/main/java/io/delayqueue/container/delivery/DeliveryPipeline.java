package io.delayqueue.container.delivery;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.store.Settle;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The life of a delivery as named stages: convert → intercept → handle → decide → settle. One that can't be converted
 * dies alone. Thread-safe.
 */
public final class DeliveryPipeline {

    private static final Log log = LogFactory.getLog(DeliveryPipeline.class);
    private static final CompletionStage<?> DONE = CompletableFuture.completedFuture(null);

    private final ListenerSpec spec;
    private final Recipient recipient;
    private final List<DeliveryInterceptor> interceptors;
    private final BiFunction<byte[], Type, Object> converter;
    private final FailureJudge judge;
    private final EventBus events;
    private final PrefetchPolicy prefetch;
    private final LongSupplier nanoTime;

    /** For one listener. */
    public DeliveryPipeline(
            ListenerSpec spec,
            List<DeliveryInterceptor> interceptors,
            BiFunction<byte[], Type, Object> converter,
            EventBus events,
            PrefetchPolicy prefetch,
            LongSupplier nanoTime) {
        this.spec = spec;
        this.recipient = new Recipient(spec.topic(), spec.lane(), spec.id());
        this.interceptors = List.copyOf(interceptors);
        this.converter = converter;
        this.judge = new FailureJudge(spec.options());
        this.events = events;
        this.prefetch = prefetch;
        this.nanoTime = nanoTime;
    }

    /** What decides about failures. */
    public FailureJudge judge() {
        return judge;
    }

    /**
     * Handles deliveries, from whichever shards they are. Never throws.
     *
     * @return null when all are answered, else a stage that ends when they are
     */
    public @Nullable CompletableFuture<?> handle(List<ClaimedDelivery> claimed) {
        long started = nanoTime.getAsLong();
        List<ClaimedDelivery> readable = new ArrayList<>(claimed.size());
        for (ClaimedDelivery delivery : claimed) {
            delivery.started(started == 0 ? 1 : started);
            if (convert(delivery)) {
                readable.add(delivery);
            }
        }
        if (readable.isEmpty()) {
            return null;
        }
        CompletableFuture<?> stage = intercepted(readable);
        if (stage.isDone()) {
            finish(readable, failureOf(stage), started);
            return null;
        }
        return stage.handle((nothing, failure) -> {
            finish(readable, failure, started);
            return null;
        });
    }

    private boolean convert(ClaimedDelivery delivery) {
        try {
            byte[] body = delivery.open().payload();
            delivery.converted(converter.apply(body, spec.payloadType()));
            return true;
        } catch (RuntimeException | Error e) { // whatever a converter does, its message dies or is retried alone
            decide(delivery, e);
            return false;
        }
    }

    private void tellStarted(ClaimedDelivery delivery) {
        Duration late = Duration.ofNanos(Math.max(0, delivery.latenessNanos()));
        events.publish(to -> to.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    private CompletableFuture<?> intercepted(List<ClaimedDelivery> readable) {
        List<Delivery> deliveries = List.copyOf(readable);
        try {
            readable.forEach(this::tellStarted);
            return Objects.requireNonNull(proceed(0, deliveries), "An interceptor returned no stage")
                    .toCompletableFuture();
        } catch (Throwable e) { // a mistake of any kind of whoever is called here is its own failure, not the engine's
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<?> proceed(int index, List<Delivery> deliveries) throws Exception {
        if (index < interceptors.size()) {
            return interceptors.get(index).around(spec.id(), deliveries, () -> proceed(index + 1, deliveries));
        }
        CompletionStage<?> stage = spec.handler().handle(deliveries);
        return stage == null ? DONE : stage;
    }

    /** Not by join, which puts the failure into words, and not every exception can be. */
    private static @Nullable Throwable failureOf(CompletableFuture<?> stage) {
        return stage.<@Nullable Throwable>handle((nothing, failure) -> failure).getNow(null);
    }

    private void finish(List<ClaimedDelivery> handled, @Nullable Throwable thrown, long started) {
        prefetch.handled(nanoTime.getAsLong() - started, handled.size());
        Throwable failure = thrown == null ? null : FailureJudge.unwrap(thrown);
        for (ClaimedDelivery delivery : handled) {
            Throwable own = failure instanceof BatchFailureException batch && !batch.namesNone()
                    ? batch.failureOf(delivery)
                    : failure;
            if (own == null) {
                delivery.answer(
                        new Settle.Acknowledge(delivery.id(), delivery.claim().token()));
            } else {
                decide(delivery, own);
            }
        }
    }

    private void decide(ClaimedDelivery delivery, Throwable failure) {
        if (delivery.isAnswered()) {
            tell(log::warn, describe(delivery) + " failed after it was answered; the answer counts", failure);
            return;
        }
        Settle decision = judge.judge(delivery, failure);
        delivery.answer(decision, failure);
        if (decision instanceof Settle.Bury bury) {
            tell(
                    log::warn,
                    describe(delivery)
                            + (spec.lane() == Lane.DEATHS ? " is given up: " : " goes to the dead letters: ")
                            + bury.cause(),
                    failure);
        } else if (log.isDebugEnabled()) {
            tell(log::debug, describe(delivery) + " failed and is retried", failure);
        }
    }

    private static void tell(BiConsumer<Object, Throwable> level, String what, Throwable failure) {
        try {
            level.accept(what, failure);
        } catch (RuntimeException | Error e) { // an exception that fails when it is to be put into words
            log.warn(what + " (" + failure.getClass().getName() + ")");
        }
    }

    private String describe(ClaimedDelivery delivery) {
        return "Attempt " + delivery.attempt() + " at "
                + (spec.lane() == Lane.DEATHS ? "the notice of dead letter " : "message ") + delivery.id()
                + " of topic "
                + spec.topic() + " by listener " + spec.id();
    }
}
