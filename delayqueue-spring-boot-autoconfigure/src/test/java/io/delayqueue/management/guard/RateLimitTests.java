package io.delayqueue.management.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitTests {

    private static final long MILLI = 1_000_000;

    /** The monotonic clock may begin anywhere, and its sign may change. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - MILLI);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000, 1_000_000})
    void requestsOfASecondArePermittedAtOnce(int perSecond) {
        RateLimit limit = new RateLimit(perSecond, now::get);

        assertThat(acquired(limit, perSecond * 2)).isEqualTo(perSecond);
    }

    @Test
    void tokensReturnOneAfterTheOther() {
        RateLimit limit = new RateLimit(4, now::get);
        assertThat(acquired(limit, 10)).isEqualTo(4);

        now.addAndGet(249 * MILLI);
        assertThat(limit.tryAcquire()).isFalse();
        now.addAndGet(MILLI);
        assertThat(acquired(limit, 10)).isEqualTo(1);
        now.addAndGet(500 * MILLI);
        assertThat(acquired(limit, 10)).isEqualTo(2);
    }

    @Test
    void pauseFillsTheBucketOnce() {
        RateLimit limit = new RateLimit(4, now::get);
        acquired(limit, 4);

        now.addAndGet(3_600_000 * MILLI);

        assertThat(acquired(limit, 100)).isEqualTo(4);
    }

    @Test
    void rejectedRequestsTakeNoTokens() {
        RateLimit limit = new RateLimit(1, now::get);
        acquired(limit, 1000);

        now.addAndGet(1000 * MILLI);

        assertThat(limit.tryAcquire()).isTrue();
    }

    @Test
    void concurrentRequestsShareTheTokens() throws InterruptedException {
        RateLimit limit = new RateLimit(1000, now::get);
        AtomicInteger sum = new AtomicInteger();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> sum.addAndGet(acquired(limit, 1000)));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(sum).hasValue(1000);
    }

    private static int acquired(RateLimit limit, int tries) {
        return (int) IntStream.range(0, tries).filter(i -> limit.tryAcquire()).count();
    }
}
