package io.delayqueue.metrics.observation;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A delivery with the values that observations read. */
record Deliveries(String topic, String id, int attempt, Map<String, String> headers, boolean postponed)
        implements Delivery {

    Deliveries(String topic, String id, int attempt, Map<String, String> headers) {
        this(topic, id, attempt, headers, false);
    }

    /** First attempts, without headers. */
    static List<Delivery> of(String topic, String... ids) {
        return Stream.of(ids)
                .<Delivery>map(id -> new Deliveries(topic, id, 1, Map.of()))
                .toList();
    }

    @Override
    public int postponements() {
        return 0;
    }

    @Override
    public int crashes() {
        return 0;
    }

    @Override
    public Instant dueAt() {
        return Instant.EPOCH;
    }

    @Override
    public Instant sentAt() {
        return Instant.EPOCH;
    }

    @Override
    public String sendId() {
        return "-";
    }

    @Override
    public Object payload() {
        return "payload";
    }

    @Override
    public byte[] body() {
        return new byte[0];
    }

    @Override
    public @Nullable String lastFailure() {
        return null;
    }

    @Override
    public Instant leaseEnd() {
        return Instant.EPOCH;
    }

    @Override
    public boolean held() {
        return true;
    }

    @Override
    public Acknowledgement acknowledgement() {
        throw new UnsupportedOperationException();
    }
}
