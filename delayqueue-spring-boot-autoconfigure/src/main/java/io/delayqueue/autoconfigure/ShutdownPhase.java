package io.delayqueue.autoconfigure;

import io.delayqueue.listener.ListenerSpec;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The time for which Spring waits for a phase of its shutdown. A listener that drains longer would be stopped before it
 * has sent its last settlements.
 *
 * @param timeout the value of {@code spring.lifecycle.timeout-per-shutdown-phase}
 */
record ShutdownPhase(Duration timeout) {

    private static final String PROPERTY = "spring.lifecycle.timeout-per-shutdown-phase";
    private static final Duration FOR_THE_LAST_ANSWERS = Duration.ofSeconds(1);

    static ShutdownPhase of(Environment environment) {
        return new ShutdownPhase(
                Binder.get(environment).bind(PROPERTY, Duration.class).orElse(Duration.ofSeconds(30)));
    }

    /** Returns the listener with a limited drain time, so that draining ends before the phase does. */
    ListenerSpec within(ListenerSpec spec) {
        Duration most = timeout.compareTo(FOR_THE_LAST_ANSWERS.multipliedBy(2)) > 0
                ? timeout.minus(FOR_THE_LAST_ANSWERS)
                : timeout.dividedBy(2);
        if (spec.options().drainTime().compareTo(most) <= 0) {
            return spec;
        }
        return new ListenerSpec(
                spec.id(),
                spec.topic(),
                spec.kind(),
                spec.options().toBuilder().drainTime(most).build(),
                spec.payloadType(),
                spec.handler());
    }
}
