package io.delayqueue.jdbc.once;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A delivery within a transaction. It cannot be settled: a message that was acknowledged before a rollback would have no
 * effect, and one that was postponed before a commit would never be handled.
 */
record OnceDelivery(Delivery delivery) implements Delivery, Acknowledgement {

    private static IllegalStateException rejected() {
        return new IllegalStateException("A listener with once settles a message by returning or throwing."
                + " Its acknowledgement can only extend the lease.");
    }

    @Override
    public Acknowledgement acknowledgement() {
        return this;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> postpone(Duration delay) {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> letOthersPass(Duration delay) {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> holdTopic(Duration time) {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String reason) {
        throw rejected();
    }

    @Override
    public CompletableFuture<Boolean> extendLease(Duration time) {
        return delivery.acknowledgement().extendLease(time);
    }

    @Override
    public String topic() {
        return delivery.topic();
    }

    @Override
    public String id() {
        return delivery.id();
    }

    @Override
    public @Nullable String key() {
        return delivery.key();
    }

    @Override
    public @Nullable Instant slot() {
        return delivery.slot();
    }

    @Override
    public int attempt() {
        return delivery.attempt();
    }

    @Override
    public int postponements() {
        return delivery.postponements();
    }

    @Override
    public int crashes() {
        return delivery.crashes();
    }

    @Override
    public Instant dueAt() {
        return delivery.dueAt();
    }

    @Override
    public Instant sentAt() {
        return delivery.sentAt();
    }

    @Override
    public String sendId() {
        return delivery.sendId();
    }

    @Override
    public Map<String, String> headers() {
        return delivery.headers();
    }

    @Override
    public Object payload() {
        return delivery.payload();
    }

    @Override
    public byte[] body() {
        return delivery.body();
    }

    @Override
    public @Nullable String lastFailure() {
        return delivery.lastFailure();
    }

    @Override
    public Instant leaseEnd() {
        return delivery.leaseEnd();
    }

    @Override
    public boolean held() {
        return delivery.held();
    }

    @Override
    public boolean postponed() {
        return delivery.postponed();
    }
}
