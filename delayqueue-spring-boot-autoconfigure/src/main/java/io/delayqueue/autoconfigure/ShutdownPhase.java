package io.delayqueue.autoconfigure;

import io.delayqueue.listener.ListenerSpec;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The timeout of a phase of Spring's shutdown. A listener that drains longer would be stopped before it has sent its
 * last settlements.
 *
 * @param timeout the value of {@code spring.lifecycle.timeout-per-shutdown-phase}
 */
record ShutdownPhase(Duration timeout) {

    private static final String PROPERTY = "spring.lifecycle.timeout-per-shutdown-phase";
    /** The part of the timeout that is left for the last settlements when the drain time ends. */
    private static final Duration SETTLEMENT_TIME = Duration.ofSeconds(1);

    static ShutdownPhase of(Environment environment) {
        return new ShutdownPhase(
                Binder.get(environment).bind(PROPERTY, Duration.class).orElse(Duration.ofSeconds(30)));
    }

    /** Returns the listener with a limited drain time, so that draining ends before the phase does. */
    ListenerSpec limitDrainTime(ListenerSpec spec) {
        Duration max = timeout.compareTo(SETTLEMENT_TIME.multipliedBy(2)) > 0
                ? timeout.minus(SETTLEMENT_TIME)
                : timeout.dividedBy(2);
        if (spec.options().drainTime().compareTo(max) <= 0) {
            return spec;
        }
        return new ListenerSpec(
                spec.id(),
                spec.topic(),
                spec.kind(),
                spec.options().toBuilder().drainTime(max).build(),
                spec.payloadType(),
                spec.handler());
    }
}
