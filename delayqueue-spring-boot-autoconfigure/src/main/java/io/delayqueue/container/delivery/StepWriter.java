package io.delayqueue.container.delivery;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Claiming;
import io.delayqueue.store.StepRequest.Reclaiming;
import java.time.Duration;
import java.util.List;

/** Writes a consumer's requests, each with a number and hence a token of its own. Belongs to the step. */
final class StepWriter {

    private static final int MAX_RECLAIM = 100;
    /** Within which every owner that lives has made its connection anew and renewed what it holds. */
    private static final Duration RECONNECTED = Duration.ofSeconds(3);

    private final String consumer;
    private final ListenerOptions options;
    private final Reclaiming reclaiming;
    private int generation;
    private long sequence;

    StepWriter(String consumer, ListenerOptions options, Duration sweep) {
        this.consumer = consumer;
        this.options = options;
        Duration renewal = options.lease().dividedBy(3);
        this.reclaiming = new Reclaiming(
                MAX_RECLAIM,
                options.maxAttempts(),
                Reclaiming.gapFor(sweep),
                renewal.compareTo(RECONNECTED) > 0 ? renewal : RECONNECTED);
    }

    StepRequest next(int claims, boolean announceSurplus, List<Settle> settles, List<Renewal> renewals) {
        Claiming claiming = new Claiming(claims, StepRequest.MAX_BYTES, options.lease());
        return new StepRequest(name(), ++sequence, claiming, reclaiming, announceSurplus, settles, renewals);
    }

    /** The same from a consumer whom the shard does not know yet. */
    StepRequest underAnotherName(StepRequest request) {
        generation++;
        return next(request.claiming().max(), request.announceSurplus(), request.settles(), request.renewals());
    }

    private String name() {
        return generation == 0 ? consumer : consumer + "." + generation;
    }
}
