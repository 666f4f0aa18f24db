package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class MessageIdsTests {

    private final AtomicLong now = new AtomicLong(1_469_918_176_385L);

    private MessageIds ids(RandomGenerator random) {
        return new MessageIds(() -> Instant.ofEpochMilli(now.get()), random);
    }

    @Test
    void anIdBeginsWithItsTimeAsTheSpecificationHasIt() {
        // the example of the specification: 01ARYZ6S41 is 1469918176385 ms
        assertThat(ids(new Random(1)).next()).matches("01ARYZ6S41[0-9A-HJKMNP-TV-Z]{16}");
    }

    @Test
    void idsGrowWithinAMillisecondAndWhenTheClockGoesBack() {
        MessageIds ids = ids(new Random(1));
        List<String> given = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            given.add(ids.next());
        }
        now.addAndGet(-60_000);
        given.add(ids.next());
        now.addAndGet(60_001);
        given.add(ids.next());

        assertThat(given).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void idsGrowOnceTheRandomPartIsSpent() {
        MessageIds ids = ids(() -> -1L);

        String last = ids.next();
        String next = ids.next();

        assertThat(last).isEqualTo("01ARYZ6S41ZZZZZZZZZZZZZZZZ");
        assertThat(next).startsWith("01ARYZ6S42").isGreaterThan(last);
    }

    @Test
    void aNonceIsShortAndOfDeadLettersAndDigits() {
        assertThat(ids(new Random(1)).nonce()).matches("[0-9a-z]{8}");
    }
}
