package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.event.DelayQueueEvents;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each meter has a test, and each event has a meter. */
class MeterCoverageTests {

    /** Moved by a listener with once and by requests, in the tests of delayqueue-jdbc and delayqueue-http. */
    private static final Set<DelayQueueMeters> OF_OTHER_MODULES = Set.of(
            DelayQueueMeters.DELIVERIES_SUPPRESSED,
            DelayQueueMeters.HTTP_REQUESTS,
            DelayQueueMeters.HTTP_REJECTED,
            DelayQueueMeters.HTTP_WAITING,
            DelayQueueMeters.HTTP_WAITING_MAX);

    @Test
    void eachMeterHasATest() {
        List<DelayQueueMeters> tested = Stream.of(
                        SentMetersTests.class,
                        DeliveryMetersTests.class,
                        TopicGaugesTests.class,
                        FailedCallMetersTests.class,
                        OutboxMetersTests.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .map(method -> method.getAnnotation(TestsMeters.class))
                .filter(Objects::nonNull)
                .flatMap(moves -> Arrays.stream(moves.value()))
                .toList();

        assertThat(tested).doesNotContainAnyElementsOf(OF_OTHER_MODULES);
        assertThat(EnumSet.allOf(DelayQueueMeters.class))
                .allMatch(meter -> tested.contains(meter) || OF_OTHER_MODULES.contains(meter));
    }

    @Test
    void eachEventHasAMeter() {
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
