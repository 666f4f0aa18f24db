package io.delayqueue.test.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides which replies a {@link FaultProxy} drops. Thread-safe. */
final class ReplyCuts {

    private final List<Cut> once = new ArrayList<>();

    private final Set<RedisRequest> cutBefore = new HashSet<>();

    private @Nullable Predicate<RedisRequest> firstOfEach;

    synchronized CompletableFuture<RedisRequest> next(Predicate<RedisRequest> requests) {
        Cut cut = new Cut(requests, new CompletableFuture<>());
        this.once.add(cut);
        return cut.done();
    }

    synchronized void firstOfEach(Predicate<RedisRequest> requests) {
        this.firstOfEach = requests;
    }

    synchronized void clear() {
        this.once.forEach((cut) -> cut.done().cancel(false));
        this.once.clear();
        this.cutBefore.clear();
        this.firstOfEach = null;
    }

    /**
     * Checks whether the reply to a request must be dropped.
     *
     * @return the future to complete after the reply was dropped, or {@code null} if it must be forwarded
     */
    synchronized @Nullable CompletableFuture<RedisRequest> claim(RedisRequest request) {
        for (Iterator<Cut> cuts = this.once.iterator(); cuts.hasNext(); ) {
            Cut cut = cuts.next();
            if (cut.requests().test(request)) {
                cuts.remove();
                return cut.done();
            }
        }
        if (this.firstOfEach != null && this.firstOfEach.test(request) && !this.cutBefore.remove(request)) {
            this.cutBefore.add(request);
            return new CompletableFuture<>();
        }
        return null;
    }

    private record Cut(Predicate<RedisRequest> requests, CompletableFuture<RedisRequest> done) {}
}
