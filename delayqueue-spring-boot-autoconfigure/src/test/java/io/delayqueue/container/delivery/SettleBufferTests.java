package io.delayqueue.container.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.delivery.SettleBuffer.Entry;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SettleBufferTests {

    private final SettleBuffer buffer = new SettleBuffer();

    private static ClaimedDelivery delivery(String id, int bytes) {
        return ClaimedDelivery.of(Claims.NOBODY, "t", Claims.claim(id, bytes), Duration.ofSeconds(30), 0, 0);
    }

    private static Entry acknowledge(String id, long at) {
        return new Entry(delivery(id, 0), new Settle.Acknowledge(id, "token"), at, null);
    }

    private static Entry bury(String id, int bytes) {
        Settle bury = new Settle.Bury(id, "token", DeathCause.BURIED, new Failure("", ""));
        return new Entry(delivery(id, bytes), bury, 0, null);
    }

    @Test
    void answersLeaveInTheirOrderAsManyAsAStepTakes() {
        IntStream.range(0, StepRequest.MAX_BATCH + 1).forEach(i -> buffer.add(acknowledge("m" + i, i)));
        assertThat(buffer.take())
                .hasSize(StepRequest.MAX_BATCH)
                .first()
                .extracting(Entry::at)
                .isEqualTo(0L);
        assertThat(buffer.size()).isEqualTo(1);
        assertThat(buffer.take()).extracting(Entry::at).containsExactly((long) StepRequest.MAX_BATCH);
        assertThat(buffer.isEmpty()).isTrue();
    }

    @Test
    void burialsAreBoundedInBytesButAtLeastOneGoes() {
        int half = StepRequest.MAX_BYTES / 2;
        buffer.add(bury("a", 2 * StepRequest.MAX_BYTES));
        buffer.add(bury("b", half));
        buffer.add(acknowledge("c", 0));
        buffer.add(bury("d", half));
        assertThat(ids(buffer.take())).containsExactly("a");
        assertThat(ids(buffer.take())).containsExactly("b", "c");
        assertThat(ids(buffer.take())).containsExactly("d");
    }

    @Test
    void ageIsThatOfTheOldest() {
        assertThat(buffer.isOlderThan(Long.MAX_VALUE)).isFalse();
        buffer.add(acknowledge("a", 100));
        buffer.add(acknowledge("b", 200));
        assertThat(buffer.isOlderThan(99)).isFalse();
        assertThat(buffer.isOlderThan(100)).isTrue();
    }

    @Test
    void noneIsLostOrDoubledWhileManyAdd() throws Exception {
        int each = 20_000;
        ConcurrentHashMap.KeySetView<String, Boolean> taken = ConcurrentHashMap.newKeySet();
        List<Thread> adders = IntStream.range(0, 4)
                .mapToObj(t -> new Thread(() ->
                        IntStream.range(0, each).forEach(i -> buffer.add(acknowledge(t + "-" + i, i)))))
                .toList();
        adders.forEach(Thread::start);
        int doubled = 0;
        while (taken.size() < 4 * each) {
            for (String id : ids(buffer.take())) {
                doubled += taken.add(id) ? 0 : 1;
            }
        }
        for (Thread adder : adders) {
            adder.join();
        }
        assertThat(doubled).isZero();
        assertThat(buffer.size()).isZero();
    }

    private static List<String> ids(List<Entry> entries) {
        return entries.stream().map(entry -> entry.settle().id()).toList();
    }
}
