package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.event.DelayQueueEvents;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each meter has a test, and each event has a meter. */
class MeterCoverageTests {

    @Test
    void eachMeterHasATest() {
        List<DelayQueueMeters> moved = Stream.of(
                        SentMetersTests.class,
                        DeliveryMetersTests.class,
                        TopicGaugesTests.class,
                        OutageMetersTests.class,
                        OutboxMetersTests.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .map(method -> method.getAnnotation(Moves.class))
                .filter(Objects::nonNull)
                .flatMap(moves -> Arrays.stream(moves.value()))
                .toList();

        assertThat(moved).contains(DelayQueueMeters.values());
    }

    @Test
    void eachEventMovesAMeter() {
        assertThat(DelayQueueEvents.class.getDeclaredMethods())
                .filteredOn(method -> !method.isSynthetic())
                .allSatisfy(event ->
                        assertThat(EventMeters.class.getDeclaredMethods()).anyMatch(method -> isSame(method, event)));
    }

    private static boolean isSame(Method method, Method event) {
        return method.getName().equals(event.getName())
                && Arrays.equals(method.getParameterTypes(), event.getParameterTypes());
    }
}
