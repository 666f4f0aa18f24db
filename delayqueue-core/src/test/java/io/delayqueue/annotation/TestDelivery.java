package io.delayqueue.annotation;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A delivery without a message in Redis, which records its settlements. */
public final class TestDelivery implements Delivery, Acknowledgement {

    static final Instant DUE = Instant.parse("2026-11-01T10:00:00Z");
    static final Instant SENT = Instant.parse("2026-11-01T09:30:00Z");

    final List<String> settlements = new ArrayList<>();
    private final Map<String, String> headers = new HashMap<>();
    private final String topic;
    private final String id;
    private final Object payload;
    private final int attempt;
    private @Nullable String key;

    private TestDelivery(String topic, String id, Object payload, int attempt) {
        this.topic = topic;
        this.id = id;
        this.payload = payload;
        this.attempt = attempt;
    }

    public static TestDelivery of(Object payload) {
        return new TestDelivery("orders", "o-1", payload, 1);
    }

    public static TestDelivery of(String topic, String id, Object payload, int attempt) {
        return new TestDelivery(topic, id, payload, attempt);
    }

    /** First attempts. */
    public static List<Delivery> all(String topic, String... ids) {
        return Stream.of(ids).<Delivery>map(id -> of(topic, id, "p", 1)).toList();
    }

    TestDelivery header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    TestDelivery key(String key) {
        this.key = key;
        return this;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public @Nullable String key() {
        return key;
    }

    @Override
    public @Nullable Instant slot() {
        return null;
    }

    @Override
    public int postponements() {
        return 0;
    }

    @Override
    public boolean postponed() {
        return settlements.stream().anyMatch(each -> each.startsWith("postpone"));
    }

    @Override
    public int crashes() {
        return 0;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public Instant dueAt() {
        return DUE;
    }

    @Override
    public Instant sentAt() {
        return SENT;
    }

    @Override
    public String sendId() {
        return "-";
    }

    @Override
    public Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    @Override
    public Object payload() {
        return payload;
    }

    @Override
    public byte[] body() {
        return payload instanceof byte[] bytes ? bytes : new byte[0];
    }

    @Override
    public String lastFailure() {
        return null;
    }

    @Override
    public Instant leaseEnd() {
        return DUE.plusSeconds(30);
    }

    @Override
    public boolean held() {
        return true;
    }

    @Override
    public Acknowledgement acknowledgement() {
        return this;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        return settle("acknowledge");
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        return settle("retry " + delay);
    }

    @Override
    public CompletableFuture<Boolean> postpone(Duration delay) {
        return settle("postpone " + delay);
    }

    @Override
    public CompletableFuture<Boolean> letOthersPass(Duration delay) {
        return settle("let others pass " + delay);
    }

    @Override
    public CompletableFuture<Boolean> holdTopic(Duration time) {
        return settle("hold " + time);
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String reason) {
        return settle("deadLetter " + reason);
    }

    @Override
    public CompletableFuture<Boolean> extendLease(Duration time) {
        return settle("extend " + time);
    }

    private CompletableFuture<Boolean> settle(String settlement) {
        settlements.add(settlement);
        return CompletableFuture.completedFuture(true);
    }
}
