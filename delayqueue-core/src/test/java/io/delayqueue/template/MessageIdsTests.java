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
    void anIdIsItsTimeAndRandomDigits() {
        // 1,469,918,176,385 in base 62
        assertThat(ids(new Random(1)).next()).matches("0PsTqrrd[0-9A-Za-z]{14}");
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
        MessageIds ids = ids(() -> 3_521_614_606_207L);

        String last = ids.next();
        String next = ids.next();

        assertThat(last).isEqualTo("0PsTqrrdzzzzzzzzzzzzzz");
        assertThat(next).startsWith("0PsTqrre").isGreaterThan(last);
    }

    @Test
    void aNonceIsShortAndOfLettersAndDigits() {
        assertThat(ids(new Random(1)).nonce()).matches("[0-9a-z]{8}");
    }
}
