package io.delayqueue.store.bench;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Claiming;
import io.delayqueue.store.StepRequest.Reclaiming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts a step together. Unless told otherwise it claims nothing, takes leases of 30 s, permits 3 attempts, reclaims up
 * to 500, and stops reclaiming for 10 s after a gap of 5 s. Not thread-safe.
 */
public final class Steps {

    private final String consumer;
    private final long sequence;
    private final List<Settle> settles = new ArrayList<>();
    private final List<Renewal> renewals = new ArrayList<>();
    private Claiming claiming = new Claiming(0, StepRequest.MAX_BYTES, Duration.ofSeconds(30));
    private int reclaimMax = StepRequest.MAX_BATCH;
    private boolean announceSurplus;

    private Steps(String consumer, long sequence) {
        this.consumer = consumer;
        this.sequence = sequence;
    }

    /** The step of a consumer. */
    public static Steps by(String consumer, long sequence) {
        return new Steps(consumer, sequence);
    }

    /** Claims at most so many. */
    public Steps claim(int max) {
        claiming = new Claiming(max, claiming.maxBytes(), claiming.lease());
        return this;
    }

    /** Claims at most so many bytes. */
    public Steps bytes(int maxBytes) {
        claiming = new Claiming(claiming.max(), maxBytes, claiming.lease());
        return this;
    }

    /** Takes leases of this length. */
    public Steps lease(Duration lease) {
        claiming = new Claiming(claiming.max(), claiming.maxBytes(), lease);
        return this;
    }

    /** Reclaims at most so many. */
    public Steps reclaim(int max) {
        reclaimMax = max;
        return this;
    }

    /** Says so if due messages are left behind. */
    public Steps announceSurplus() {
        announceSurplus = true;
        return this;
    }

    /** Acknowledges. */
    public Steps acknowledge(String id, String token) {
        settles.add(new Settle.Acknowledge(id, token));
        return this;
    }

    /** Retries after some milliseconds, with the failure {@code E: no}. */
    public Steps retry(String id, String token, long delay) {
        settles.add(new Settle.Retry(id, token, Duration.ofMillis(delay), new Failure("E", "no")));
        return this;
    }

    /** Buries, with the failure {@code E: no} and a stack. */
    public Steps bury(String id, String token, DeathCause cause) {
        settles.add(new Settle.Bury(id, token, cause, new Failure("E", "no", "at x\nat y")));
        return this;
    }

    /** Releases. */
    public Steps release(String id, String token) {
        settles.add(new Settle.Release(id, token));
        return this;
    }

    /** Renews for some milliseconds from now. */
    public Steps renew(String id, String token, long lease) {
        renewals.add(new Renewal(id, token, Duration.ofMillis(lease)));
        return this;
    }

    /** The request. */
    public StepRequest build() {
        return new StepRequest(
                consumer,
                sequence,
                claiming,
                new Reclaiming(reclaimMax, 3, Duration.ofSeconds(5), Duration.ofSeconds(10)),
                announceSurplus,
                List.copyOf(settles),
                List.copyOf(renewals));
    }
}
